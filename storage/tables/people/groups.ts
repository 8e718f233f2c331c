import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Groups of people. */
export const userGroups = table("user_groups", {
  columns: {
    id: text().primaryKey(),
    name: text(),
    /** The name in the form in which names are compared. */
    name_key: text(),
    /** JSON of `Rights`. */
    rights: text(),
    /** The sign-in provider and the value of its claim that decide who belongs to it. Null: administrators decide. */
    claim_provider_id: text().nullable().references("sign_in_providers", "set null"),
    claim_value: text().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  indexes: {
    user_groups_by_name: { on: "name_key", isUnique: true },
    user_groups_by_claim: "claim_provider_id",
  },
  backup: "in backup",
});

export const userGroupMembers = table("user_group_members", {
  columns: {
    group_id: text().references("user_groups", "cascade"),
    user_id: text().references("users", "cascade"),
    added_at: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (group_id, user_id)"],
  indexes: {
    user_group_members_by_user: "user_id, group_id",
  },
  backup: "in backup",
});
