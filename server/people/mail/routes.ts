import type { Database } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts, Routes } from "#server/lib/route.ts";
import { actorOf } from "#server/audit/audit.ts";
import { ownPageOf } from "../accounts/request-source.ts";
import { findAccount } from "../accounts/rows.ts";
import type { Mail } from "./mail.ts";
import type { ResetRequests } from "./reset-requests.ts";

type Names = "mail.get" | "mail.put" | "mail.remove" | "mail.test" | "accounts.requestReset";

export function mailRoutes(
  { mail, resetRequests }: { mail: Mail; resetRequests: ResetRequests },
  { db, webUrl }: { db: Database; webUrl: (request: RequestFacts) => string },
): Routes<Names> {
  return {
    "mail.get": async () => ({ settings: await mail.settings() }),
    "mail.put": async ({ visitor, body, request }) => {
      await mail.put(actorOf({ visitor, request }), body);
      return {};
    },
    "mail.remove": async ({ visitor, request }) => {
      await mail.remove(actorOf({ visitor, request }));
      return {};
    },
    "mail.test": async ({ visitor, body, request }) => {
      const account = await findAccount(db.read, { id: visitor.userId });
      if (account?.email == null) throw new AppError("no-account");
      return await mail.test(account.email, body.language, new URL(webUrl(request)).host);
    },
    "accounts.requestReset": async ({ body, request }) => {
      await resetRequests.start(body, ownPageOf(request), webUrl(request));
      return {};
    },
  };
}
