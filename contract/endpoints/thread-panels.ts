import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { panelViews } from "../artifacts/panel-views.ts";
import { emptyObject, textOf, threadParams, timestamp, wholeNumber } from "./fields.ts";

/** About 5,000,000 lines. */
const topMax = 100_000_000;

const key = textOf(1, limits.panelKeyCharacters);

const panel = z
  .object({
    key: key.check(z.describe("The artifact, source or file that it shows.")),
    version: z
      .optional(key)
      .check(
        z.describe("The version that it shows, or the answer of the source. Absent: the latest version."),
      ),
    view: z.optional(z.enum(panelViews, `must be one of ${panelViews.join(", ")}`)),
    base: z
      .optional(key)
      .check(z.describe("The version that the shown one is compared with. Absent: the one before it.")),
    top: wholeNumber(0, topMax).check(z.describe("How far it is scrolled down, in CSS pixels.")),
  })
  .check(z.meta({ id: "Panel", description: "What the panel beside a thread shows." }));
export type StoredPanel = z.infer<typeof panel>;

export const threadPanelEndpoints = {
  "threads.panel": {
    method: "GET",
    path: "/v1/threads/{thread_id}/panel",
    caller: "visitor",
    members: "read",
    summary: "Get what the panel beside a thread shows",
    description:
      "As you left it on any device. Each member of a shared thread has their own. `panel` is null if it is closed; `updated_at` is null if it was never open.",
    params: threadParams,
    kind: "json",
    status: 200,
    response: z.object({ panel: z.nullable(panel), updated_at: z.nullable(timestamp) }),
  },
  "threads.setPanel": {
    method: "PUT",
    path: "/v1/threads/{thread_id}/panel",
    caller: "visitor",
    members: "read",
    audit: { none: "own-content" },
    summary: "Store what the panel beside a thread shows",
    description:
      "Replaces what was stored; the last request wins. It is for your other devices, which read it when they open the thread: the change feed does not announce it. Temporary threads answer `thread-temporary`.",
    params: threadParams,
    body: z.object({ panel: z.nullable(panel).check(z.describe("Null: it is closed.")) }),
    bodyBytesMax: 2 * limits.bodyBytes,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["thread-temporary"],
    example: { body: { panel: { key: "html:Clock", view: "code", top: 120 } } },
  },
} as const satisfies Endpoints;
