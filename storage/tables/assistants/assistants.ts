import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Assistants that answer. Rows are never deleted, because threads and answers refer to them. */
export const assistants = table("assistants", {
  columns: {
    app_id: text().references("apps"),
    /** `default` for the built-in assistant, which gets a row when it is first changed. */
    id: text(),
    name: text(),
    /** JSON object: a letter or an emoji, and a colour. */
    avatar: text(),
    /** JSON text, exactly as it was written; empty for the built-in instructions. */
    instructions: text(),
    /** Null: the server chooses. */
    model: text().nullable(),
    /** JSON list of names; null means all tools. */
    tools: text().nullable(),
    /** JSON list. */
    starters: text(),
    /** JSON object. */
    parameters: text(),
    /** Lower positions come first. */
    position: integer(),
    /** Hash of the request that created it, if the client chose the id. */
    request_hash: text().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
    deleted_at: bigint().nullable(),
  },
  constraints: ["primary key (app_id, id)"],
  backup: "in backup",
});
