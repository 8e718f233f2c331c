import type { Routes } from "../lib/route.ts";
import { hasConsequences } from "./tool.ts";
import type { Tools } from "./tools.ts";

export function toolRoutes(tools: Tools): Routes<"tools.list"> {
  return {
    "tools.list": () =>
      Promise.resolve({
        tools: tools.list().map((tool) => ({
          name: tool.name,
          description: tool.description,
          asks: tool.run === undefined || tool.needsApproval !== undefined || hasConsequences(tool),
        })),
      }),
  };
}
