import * as z from "zod/mini";

/** Something that an assistant can do here. */
export const toolInfo = z
  .object({
    name: z.string().check(z.describe("Its name, as models call it.")),
    description: z.string().check(z.describe("What models are told of it.")),
    asks: z.boolean().check(z.describe("Whether it may have to ask a person.")),
  })
  .check(z.meta({ id: "Tool", description: "Something that an assistant can do here." }));
export type ToolInfo = z.infer<typeof toolInfo>;
