import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { panelViews } from "../artifacts/panel-views.ts";
import { described, namedObject, textOf, timestamp, wholeNumber } from "./fields.ts";

/** About 5,000,000 lines. */
const topMax = 100_000_000;

const key = textOf(1, limits.panelKeyCharacters);

const panel = namedObject("Panel", "What the panel beside a thread shows.", {
  key: described(key, "The artifact, source or file that it shows."),
  version: described(
    z.optional(key),
    "The version that it shows, or the answer of the source. Absent: the latest version.",
  ),
  view: z.optional(z.enum(panelViews, `must be one of ${panelViews.join(", ")}`)),
  base: described(
    z.optional(key),
    "The version that the shown one is compared with. Absent: the one before it.",
  ),
  top: described(wholeNumber(0, topMax), "How far it is scrolled down, in CSS pixels."),
});
export type StoredPanel = z.infer<typeof panel>;

const common = { caller: "visitor", members: "read" } as const;

export const threadPanelEndpoints = endpoints(common, {
  "threads.panel": {
    request: "GET /v1/threads/{thread_id}/panel",
    summary: "Get what the panel beside a thread shows",
    description:
      "As you left it on any device. Each member of a shared thread has their own. `panel` is null if it is closed; `updated_at` is null if it was never open.",
    response: z.object({ panel: z.nullable(panel), updated_at: z.nullable(timestamp) }),
  },
  "threads.setPanel": {
    request: "PUT /v1/threads/{thread_id}/panel",
    audit: { none: "own-content" },
    summary: "Store what the panel beside a thread shows",
    description:
      "Replaces what was stored; the last request wins. It is for your other devices, which read it when they open the thread: the change feed does not announce it. Temporary threads answer `thread-temporary`.",
    body: z.object({ panel: described(z.nullable(panel), "Null: it is closed.") }),
    bodyBytesMax: 2 * limits.bodyBytes,
    errors: ["thread-temporary"],
    example: { body: { panel: { key: "html:Clock", view: "code", top: 120 } } },
  },
});
