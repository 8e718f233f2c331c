import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/**
 * People whose chats were brought from another server, until they have an account. The person who uses the invitation, or proves the
 * address with a sign-in provider that may claim, gets them.
 */
export const preparedPeople = table("prepared_people", {
  since: "0060-prepared-people",
  columns: {
    user_id: text().primaryKey().references("users", "cascade"),
    invitation_id: text().nullable().references("invitations", "set null"),
    /** As the other server has them. Nobody has proved the address. */
    name: text().default(""),
    email: text().default(""),
    /** The address for comparisons; null if there is none. */
    email_key: text().nullable(),
    /** When the invitation was sent by e-mail; null if an administrator got its link. */
    mailed_at: bigint().nullable(),
    created_at: bigint(),
  },
  indexes: {
    prepared_people_by_email: "email_key",
    prepared_people_by_invitation: "invitation_id",
  },
  backup: "in backup",
});
