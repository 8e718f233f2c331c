import { integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** The steps of replies with tool calls, as their provider requires them back. No client receives them. */
export const replySteps = table("reply_steps", {
  columns: {
    message_id: text().references("messages", "cascade"),
    /** The index of the step's first tool call in the parts of the reply. */
    first_call: integer(),
    /** JSON list of the parts that the model made. */
    parts: text(),
  },
  constraints: ["primary key (message_id, first_call)"],
  backup: "in backup",
});
