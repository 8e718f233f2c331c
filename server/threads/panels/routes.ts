import type { Routes } from "../../lib/route.ts";
import type { ThreadPanels } from "./panels.ts";

export function threadPanelRoutes(panels: ThreadPanels): Routes<"threads.panel" | "threads.setPanel"> {
  return {
    "threads.panel": async ({ visitor, params }) => await panels.get(visitor, params.thread_id),
    "threads.setPanel": async ({ visitor, params, body }) => {
      await panels.set(visitor, params.thread_id, body.panel);
      return {};
    },
  };
}
