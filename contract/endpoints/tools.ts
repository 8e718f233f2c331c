import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { described, namedObject } from "./fields.ts";

export const toolInfo = namedObject("Tool", "A tool that assistants can use.", {
  name: described(z.string(), "The name that models call it by."),
  description: described(z.string(), "The description that models get."),
  asks: described(z.boolean(), "Whether its calls may need a person's approval."),
});
export type ToolInfo = z.infer<typeof toolInfo>;

export const toolEndpoints = endpoints("account", {
  "tools.list": {
    request: "GET /v1/tools",
    permission: "assistants.manage",
    summary: "List the tools for assistants",
    description:
      "The `tools` of an assistant contain these names. Those of the caller's tool servers are as they were last listed.",
    response: z.object({ tools: z.array(toolInfo) }),
  },
});
