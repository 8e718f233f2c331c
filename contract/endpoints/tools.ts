import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";

/** Something that an assistant can do here. */
export const toolInfo = z
  .object({
    name: z.string().check(z.describe("Its name, as models call it.")),
    description: z.string().check(z.describe("What models are told of it.")),
    asks: z.boolean().check(z.describe("Whether it may have to ask a person.")),
  })
  .check(z.meta({ id: "Tool", description: "Something that an assistant can do here." }));
export type ToolInfo = z.infer<typeof toolInfo>;

export const toolEndpoints = {
  "tools.list": {
    method: "GET",
    path: "/v1/tools",
    caller: "admin",
    summary: "The tools that an assistant can be given",
    description: "By the names that an assistant's `tools` take.",
    kind: "json",
    status: 200,
    response: z.object({ tools: z.array(toolInfo) }),
  },
} as const satisfies Endpoints;
