import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Which tokens of an operator's own identity provider are accepted. Unique by (issuer, audience). */
export const jwtRules = table("jwt_rules", {
  columns: {
    id: text().primaryKey(),
    app_id: text().references("apps"),
    issuer: text(),
    /** Empty: any. */
    audience: text(),
    jwks_url: text(),
    /** The claim that names the workspace; null means `sub`. */
    workspace_claim: text().nullable(),
    /** JSON list. */
    algorithms: text(),
    /** 1 if the keys may only be on the public internet, because the owner did not enter their address. */
    public_only: integer().default(0),
    created_at: bigint(),
  },
  indexes: {
    jwt_rules_once: { on: "issuer, audience", isUnique: true },
  },
  backup: "in backup",
});
