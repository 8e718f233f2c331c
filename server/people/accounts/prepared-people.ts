import { emailKey } from "#contract/accounts/email.ts";
import { newId, randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import { insertOwnUser } from "../users/rows.ts";
import { insertInvitation, revokeInvitation } from "./invitation-rows.ts";
import * as rows from "./rows.ts";

/** People whose chats are brought from another server before they have an account here. */
export type PreparedPeople = {
  /**
   * The person who gets what is brought: the owner of the account whose address is verified, or else somebody new, with an
   * invitation that replaces earlier ones. `userId` is the id of somebody new, the same each time. Throws
   * `account-suspended`.
   */
  prepare(
    inviter: { id: string; actor: Actor; appId: string },
    person: { userId: string; workspaceId: string; name: string; email: string },
  ): Promise<{ visitor: Visitor; token: string | undefined }>;
  /** The account that `prepare` would find. */
  findAccount(person: { userId: string; email: string }): Promise<Visitor | undefined>;
};

export function createPreparedPeople({ db, clock }: { db: Database; clock: Clock }): PreparedPeople {
  return {
    async prepare({ id: inviterId, actor, appId }, { userId, workspaceId, name, email }) {
      return await db.write(async (tx) => {
        const nowMs = clock.now();
        const known = (await findKnown(tx.q, userId)) ?? (await findByAddress(tx.q, email));
        if (known?.disabled_at != null) throw new AppError("account-suspended");
        if (known !== undefined && known.joined_at !== null)
          return { visitor: visitorOf(known), token: undefined };
        if (known === undefined) {
          await insertOwnUser(tx, { userId, workspaceId, kind: "anonymous" }, appId, nowMs);
          await tx.q.insertInto("prepared_people").values({ user_id: userId, created_at: nowMs }).execute();
        }
        const token = await invite(tx, { inviterId, actor, userId, note: `${name} <${email}>` }, nowMs);
        return { visitor: visitorOf((await rows.findAccount(tx.q, { id: userId }))!), token };
      });
    },

    async findAccount({ userId, email }) {
      const known = (await findKnown(db.read, userId)) ?? (await findByAddress(db.read, email));
      return known === undefined || known.joined_at === null ? undefined : visitorOf(known);
    },
  };

  /** Replaces the person's invitation, of which nobody knows the token any more. */
  async function invite(
    tx: Tx,
    { inviterId, actor, userId, note }: { inviterId: string; actor: Actor; userId: string; note: string },
    nowMs: number,
  ): Promise<string> {
    const before = await tx.q
      .selectFrom("prepared_people")
      .select("invitation_id")
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (before?.invitation_id != null) await revokeInvitation(tx, before.invitation_id, nowMs);
    const token = `invite_0${randomCharacters(48)}`;
    const id = newId("invitation", nowMs);
    await insertInvitation(tx, {
      id,
      token_hash: hashOf(token),
      role: "member",
      note: cutText(note, limits.nameCharacters),
      created_by: inviterId,
      created_at: nowMs,
      expires_at: nowMs + limits.invitationMs,
    });
    await tx.q
      .updateTable("prepared_people")
      .set({ invitation_id: id })
      .where("user_id", "=", userId)
      .execute();
    await recordAudit(
      tx,
      { action: "invitation-created", actor, target: id, details: { role: "member" } },
      nowMs,
    );
    return token;
  }
}

/** Somebody who was prepared before, or the account that they have become. */
async function findKnown(q: Tx["q"], userId: string): Promise<rows.AccountRow | undefined> {
  const found = await rows.findAccount(q, { id: userId });
  return found?.merged_into == null ? found : await rows.findAccount(q, { id: found.merged_into });
}

/** Only an address that its owner has proved says who they are. */
async function findByAddress(q: Tx["q"], email: string): Promise<rows.AccountRow | undefined> {
  const found = email === "" ? undefined : await rows.findAccount(q, { emailKey: emailKey(email) });
  return found?.email_verified_at == null ? undefined : found;
}

function visitorOf(user: rows.AccountRow): Visitor {
  return {
    userId: user.id,
    kind: user.kind === "anonymous" ? "member" : user.kind,
    role: "member",
    appId: user.app_id,
    workspaceId: user.workspace_id,
    workspaceName: user.workspace_name,
    credentialId: "import",
  };
}

/** In a transaction: the person of an invitation, who is prepared no longer. */
export async function takePrepared(tx: Tx, invitationId: string): Promise<Row<"users">["id"] | undefined> {
  const found = await tx.q
    .selectFrom("prepared_people")
    .select("user_id")
    .where("invitation_id", "=", invitationId)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  await tx.q.deleteFrom("prepared_people").where("user_id", "=", found.user_id).execute();
  return found.user_id;
}
