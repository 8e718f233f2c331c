import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";

export const toolInfo = z
  .object({
    name: z.string().check(z.describe("The name that models call it by.")),
    description: z.string().check(z.describe("The description that models get.")),
    asks: z.boolean().check(z.describe("Whether its calls may need a person's approval.")),
  })
  .check(z.meta({ id: "Tool", description: "A tool that assistants can use." }));
export type ToolInfo = z.infer<typeof toolInfo>;

export const toolEndpoints = {
  "tools.list": {
    method: "GET",
    path: "/v1/tools",
    caller: "account",
    permission: "assistants.manage",
    summary: "List the tools for assistants",
    description: "The `tools` of an assistant contain these names.",
    kind: "json",
    status: 200,
    response: z.object({ tools: z.array(toolInfo) }),
  },
} as const satisfies Endpoints;
