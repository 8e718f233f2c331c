import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import { AppError } from "#server/lib/errors.ts";
import { roleOf } from "./roles.ts";
import type { AccountRow } from "./rows.ts";

/** The browser that sends a request. `address`: the key of limits per network address. */
export type RequestSource = {
  address: string;
  device: string | undefined;
  sessionToken: string | undefined;
};

/** What a session needs to know of its user. */
export function sessionUserOf(account: AccountRow) {
  const { id: userId, kind, workspace_id: workspaceId, workspace_name: workspaceName } = account;
  return { userId, kind, role: roleOf(account), workspaceId, workspaceName };
}

/** Only the index of e-mail addresses can be violated. */
export function asEmailTaken(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError("email-taken", { cause: error }) : error;
}
