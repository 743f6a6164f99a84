/**
 * `node bin/node-24.mjs scripts/make-export.ts <folder> <items>`: a folder as DynamoDB exports a table to S3, with users of the
 * chat and four memberships of each, of which every twentieth has not followed its user.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';

const itemsOfFile = 25_000;
const exportId = '01700000000000-a1b2c3d4';

/** @param itemAt the item of each index, from 0 */
export function makeExport(
  folder: string,
  items: number,
  itemAt: (index: number) => Readonly<Record<string, unknown>> = chatItem,
): void {
  mkdirSync(join(folder, 'data'), { recursive: true });
  const files: string[] = [];
  for (let from = 0; from < items; from += itemsOfFile) {
    const indexes = Array.from({ length: Math.min(itemsOfFile, items - from) }, (_, index) => from + index);
    const lines = indexes.map((index) => `${JSON.stringify({ Item: marshall(itemAt(index)) })}\n`);
    const body = gzipSync(lines.join(''));
    const name = `data/${createHash('sha256').update(`${from}`).digest('hex').slice(0, 26)}.json.gz`;
    writeFileSync(join(folder, name), body);
    const md5Checksum = createHash('md5').update(body).digest('base64');
    files.push(
      `${JSON.stringify({
        itemCount: lines.length,
        md5Checksum,
        etag: `${'0'.repeat(32)}-1`,
        dataFileS3Key: `AWSDynamoDB/${exportId}/${name}`,
      })}\n`,
    );
  }
  writeFileSync(join(folder, 'manifest-files.json'), files.join(''));
  const summary = {
    version: '2020-06-30',
    exportType: 'FULL_EXPORT',
    outputFormat: 'DYNAMODB_JSON',
    itemCount: items,
    exportTime: '2026-11-20T03:00:00.000Z',
    s3Bucket: 'exports',
    s3Prefix: null,
    exportArn: `arn:aws:dynamodb:us-east-1:123456789012:table/app/export/${exportId}`,
    manifestFilesS3Key: `AWSDynamoDB/${exportId}/manifest-files.json`,
  };
  writeFileSync(join(folder, 'manifest-summary.json'), JSON.stringify(summary));
}

function chatItem(index: number): Record<string, string> {
  const userId = String(Math.floor(index / 5));
  const username = `name of ${userId}`;
  if (index % 5 === 0)
    return { PK: `USER#${userId}`, SK: '#METADATA', Type: 'User', userId, username, email: 'a@example.com' };
  const serverId = String(index % 1000);
  return {
    PK: `SERVER#${serverId}`,
    SK: `USER#${userId}`,
    Type: 'Membership',
    serverId,
    userId,
    role: 'Member',
    username: index % 20 === 1 ? 'an earlier name' : username,
    GSI1PK: `USER#${userId}`,
    GSI1SK: `SERVER#${serverId}`,
  };
}

if (import.meta.main) {
  const [folder = 'export', items = '1000'] = process.argv.slice(2);
  if (folder.startsWith('-') || !/^\d+$/.test(items)) {
    console.error('Expected: node bin/node-24.mjs scripts/make-export.ts <folder> <items>');
    process.exit(2);
  }
  makeExport(folder, Number(items));
}
