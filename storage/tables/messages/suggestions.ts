import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Questions that a person could ask after an answer. */
export const suggestions = table("suggestions", {
  columns: {
    /** The answer. */
    message_id: text().primaryKey().references("messages", "cascade"),
    /** The run that wrote the answer as the model read it: an answer that was continued gets new ones. */
    run_id: text(),
    /** JSON list of texts, at most three; empty if the model wrote none. */
    texts: text(),
    created_at: bigint(),
  },
  backup: "in backup",
});
