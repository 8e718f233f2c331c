import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** People whose chats were brought from another server, until they have an account. Whoever uses the invitation gets them. */
export const preparedPeople = table("prepared_people", {
  since: "0060-prepared-people",
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    invitation_id: text().nullable().references("invitations", "set null"),
    created_at: bigint(),
  },
  indexes: {
    prepared_people_by_invitation: "invitation_id",
  },
  backup: "in backup",
});
