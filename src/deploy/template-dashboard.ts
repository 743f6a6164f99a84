import { type Document, isScalar } from 'yaml';
import * as z from 'zod';
import { oneLine } from './one-line.ts';
import type { Usage } from './usage.ts';

const bodySchema = z.object({
  widgets: z.array(
    z.object({
      type: z.string(),
      x: z.int(),
      y: z.int(),
      width: z.int(),
      height: z.int(),
      properties: z.strictObject({
        title: z.string(),
        region: z.string(),
        stat: z.string(),
        period: z.int(),
        view: z.string(),
        metrics: z.array(z.array(z.string())),
      }),
    }),
  ),
});

/** The values of a metric's dimension that name a function or its mapping. */
const ofArchive = /^(archive|\$\{Archive(Stream)?\})$/;
const ofSweep = /^(sweep|\$\{Sweep\})$/;

/** Widgets in a row. */
const across = 3;

/** Leaves out the metrics of functions that the stack does not have, and widgets that then show nothing. */
export function setDashboard(document: Document, { archives, sweeps }: Usage): void {
  const node = document.getIn(['Resources', 'Dashboard', 'Properties', 'DashboardBody'], true);
  if (!isScalar(node) || typeof node.value !== 'string')
    throw new Error('Expected the text of a dashboard in the base template');
  const isMissing = (part: string) => (!archives && ofArchive.test(part)) || (!sweeps && ofSweep.test(part));
  const widgets = bodySchema
    .parse(JSON.parse(node.value))
    .widgets.map(({ properties, ...widget }) => ({
      ...widget,
      properties: {
        ...properties,
        metrics: properties.metrics.filter((metric) => !metric.some(isMissing)),
      },
    }))
    .filter(({ properties }) => properties.metrics.length > 0)
    .map((widget, index) => ({
      ...widget,
      x: (index % across) * widget.width,
      y: Math.floor(index / across) * widget.height,
    }));
  node.value = `{ "widgets": [\n${widgets.map((widget) => `  ${oneLine(widget)}`).join(',\n')}\n] }\n`;
}
