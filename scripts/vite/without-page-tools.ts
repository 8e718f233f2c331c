import type { Plugin } from "vite";

const path = "/@assistant-ui/core/dist/runtimes/tool-invocations/ToolInvocationTracker.js";

/**
 * Leaves the part of assistant-ui that executes tools in the page out of the build: Parlance's tools run on the server, so
 * its runtime never creates a tracker. The part comes with most of `assistant-stream`.
 */
export function withoutPageTools(): Plugin {
  let isFound = false;
  return {
    name: "without-page-tools",
    apply: "build",
    load: {
      filter: { id: `**${path}` },
      handler() {
        isFound = true;
        return `export class ToolInvocationTracker {
          constructor() { throw new Error("Tools do not run in the page."); }
        }`;
      },
    },
    buildEnd(error) {
      if (error === undefined && !isFound) throw new Error(`@assistant-ui/core has no ${path}.`);
    },
  };
}
