import type { Routes, Visitor } from "../lib/route.ts";
import { hasConsequences, type Tool } from "./tool.ts";
import type { Tools } from "./tools.ts";

/** `toolsOfServers`: those of the tool servers that the visitor can use. */
export function toolRoutes(
  tools: Tools,
  toolsOfServers: (visitor: Visitor) => Promise<readonly Tool[]>,
): Routes<"tools.list"> {
  return {
    "tools.list": async ({ visitor }) => ({
      tools: [...tools.list(), ...(await toolsOfServers(visitor))].map((tool) => ({
        name: tool.name,
        description: tool.description,
        asks: tool.run === undefined || tool.needsApproval !== undefined || hasConsequences(tool),
      })),
    }),
  };
}
