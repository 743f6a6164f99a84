import { expect, test } from 'vitest';
import { type PlanStep, plannedTable } from '../../../src/dev/dry-run/dry-run.ts';
import { imagesTable } from '../../../src/dev/dry-run/images-table.ts';
import type { Message } from '../../../src/model/message.ts';
import { defaultSettings } from '../../../src/ports.ts';
import { propagateMessage } from '../../../src/propagation/fan-out-batch.ts';
import { aBooking, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises } from '../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../fixtures/model/table.ts';
import { RecordingTelemetry } from '../../table-model/recording-telemetry.ts';

test('a dry run goes on as if what it notes had been written: more than one write takes is several', async () => {
  const many = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`A${index}`, `${index}`]));
  const steps: PlanStep[] = [];
  const messages: Message[] = [];
  const context = {
    registry: cruises(),
    table: plannedTable(imagesTable(table, [aVoyage(many), aBooking('g')]), table, (step) =>
      steps.push(step),
    ),
    queue: {
      send: async (sent: readonly Message[]) => void messages.push(...sent),
      deadLetter: async () => {},
    },
    ...{
      telemetry: new RecordingTelemetry(),
      settings: defaultSettings,
      outOfTime: () => false,
      now: Date.now,
    },
  };
  const root = { pk: 'line_1#voyages', sk: 'voyage_a' };
  await propagateMessage(context, { rule: 'voyage-on-bookings', root, cause: 'repair', attempts: 0 });

  const written = steps.flatMap((step) =>
    step.does === 'update' ? [Object.keys(step.update.set).length] : [],
  );
  expect(written).toEqual([100, 100, 30]);
  expect(messages).toEqual([]);
});
