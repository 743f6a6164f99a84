import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import type { Random } from '../../src/develop/testing/simulation/random.ts';
import { clientSettings } from '../../src/worker/adapters/client-settings.ts';
import type { S3Figures } from './figures.ts';

interface Asked {
  readonly method: string;
  readonly query?: Readonly<Record<string, unknown>>;
}

const refusals = {
  throttled: { status: 503, code: 'SlowDown' },
  failed: { status: 500, code: 'InternalError' },
} as const;

/** How many requests fail in a row where S3 is away for a while. */
const maxOutage = 300;

/** S3 whose requests fail on their way, each try of the SDK's own: refused with 503 or 500, or reset after their effect. */
export class FlakyS3 {
  readonly client: S3Client;
  /** How many of 1 requests fail. */
  failing: number;
  private readonly random: Random;
  private readonly figures: S3Figures;
  private outage = 0;

  constructor(endpoint: string, random: Random, figures: S3Figures, failing: number) {
    this.random = random;
    this.figures = figures;
    this.failing = failing;
    this.client = new S3Client({
      ...clientSettings,
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      forcePathStyle: true,
    });
    const { requestHandler } = this.client.config;
    const handle = requestHandler.handle.bind(requestHandler);
    requestHandler.handle = async (request, options) => {
      const { method, query } = request;
      this.figures.asked(nameOf({ method, query: query ?? {} }));
      const fault = this.fault();
      if (fault === undefined) return handle(request, options);
      this.figures.failed(fault);
      if (fault !== 'reset after its effect') return { response: refusal(refusals[fault]) };
      const { response } = await handle(request, options);
      if (response.body instanceof Readable) response.body.resume();
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    };
  }

  private fault(): keyof typeof refusals | 'reset after its effect' | undefined {
    if (this.outage > 0) {
      this.outage -= 1;
      return 'failed';
    }
    if (this.random.chance(this.failing / 2_000)) this.outage = this.random.int(1, maxOutage);
    if (!this.random.chance(this.failing)) return undefined;
    return this.random.pick(['throttled', 'failed', 'reset after its effect']);
  }
}

function nameOf({ method, query = {} }: Asked): string {
  if ('versions' in query) return 'list';
  return method.toLowerCase();
}

/** An answer of S3's that carries an error. */
function refusal({ status, code }: { readonly status: number; readonly code: string }) {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>Try again</Message></Error>`;
  const headers = { 'content-type': 'application/xml', 'content-length': String(body.length) };
  return { statusCode: status, reason: code, headers, body: Readable.from([Buffer.from(body)]) };
}
