import { emailKey } from "#contract/accounts/email.ts";
import { newId, randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import { insertInvitation, revokeInvitation } from "../accounts/invitation-rows.ts";
import * as accounts from "../accounts/rows.ts";
import { insertOwnUser, renameWorkspace } from "../users/rows.ts";
import * as rows from "./rows.ts";

/** The person who invites: an administrator, or for the operator the owner. */
export type Inviter = { id: string; actor: Actor };

/** Somebody as another server has them. */
type ForeignAddress = { userId: string; email: string };

/** People whose chats are brought from another server before they have an account here. */
export type PreparePeople = {
  /**
   * The person who gets what is brought: the owner of the account whose address is verified, or else somebody new, with an
   * invitation. It replaces earlier ones, except one that was mailed and still works: then there is no new `token`.
   * `userId` is the id of somebody new, the same each time. Throws `account-suspended`.
   */
  prepare(
    inviter: Inviter & { appId: string },
    person: ForeignAddress & { workspaceId: string; name: string },
  ): Promise<{ visitor: Visitor; outcome: "existing" | "invited"; token: string | undefined }>;
  /** The account that `prepare` would find. */
  findAccount(person: ForeignAddress): Promise<Visitor | undefined>;
  /** Whether an account has the address, although nobody has proved that it is theirs. */
  isUnproved(email: string): Promise<boolean>;
};

export function createPreparePeople({ db, clock }: { db: Database; clock: Clock }): PreparePeople {
  return {
    async prepare({ appId, ...inviter }, { userId, workspaceId, name, email }) {
      // Two imports may prepare the same person at the same time.
      return await writeOnce(db, async (tx) => {
        const nowMs = clock.now();
        const known = (await findKnown(tx.q, userId)) ?? (await findByAddress(tx.q, email));
        if (known?.disabled_at != null) throw new AppError("account-suspended");
        if (known !== undefined && known.joined_at !== null)
          return { visitor: visitorOf(known), outcome: "existing", token: undefined };
        const described = {
          name: cutText(cleanText(name).trim(), limits.nameCharacters),
          email: cutText(cleanText(email).trim(), limits.emailCharacters),
          email_key: email.trim() === "" ? null : emailKey(cleanText(email)),
        };
        if (known === undefined) {
          await insertOwnUser(tx, { userId, workspaceId, kind: "anonymous" }, appId, nowMs);
          // Of somebody who was removed since, the workspace is still here.
          await renameWorkspace(tx, workspaceId, userId);
          await rows.insertPrepared(tx, { user_id: userId, ...described, created_at: nowMs });
        } else await rows.changePrepared(tx, userId, described);
        const token = (await isMailed(tx, userId, nowMs))
          ? undefined
          : await invite(tx, inviter, userId, nowMs);
        const visitor = visitorOf((await accounts.findAccount(tx.q, { id: userId }))!);
        return { visitor, outcome: "invited", token };
      });
    },

    async findAccount({ userId, email }) {
      const known = (await findKnown(db.read, userId)) ?? (await findByAddress(db.read, email));
      return known === undefined || known.joined_at === null ? undefined : visitorOf(known);
    },

    async isUnproved(email) {
      if (email.trim() === "") return false;
      const found = await accounts.findAccount(db.read, { emailKey: emailKey(email) });
      return found !== undefined && found.email_verified_at === null;
    },
  };
}

/** In a transaction: replaces the person's invitation, of which nobody knows the token any more. */
export async function invite(
  tx: Tx,
  { id: inviterId, actor }: Inviter,
  userId: string,
  nowMs: number,
): Promise<string> {
  const prepared = await rows.findPrepared(tx.q, { userId });
  if (prepared === undefined) throw new AppError("person-not-found");
  if (prepared.invitation_id !== null) await revokeInvitation(tx, prepared.invitation_id, nowMs);
  const token = `invite_0${randomCharacters(48)}`;
  const id = newId("invitation", nowMs);
  await insertInvitation(tx, {
    id,
    token_hash: hashOf(token),
    role: "member",
    note: cutText(`${prepared.name} <${prepared.email}>`, limits.nameCharacters),
    created_by: inviterId,
    created_at: nowMs,
    expires_at: nowMs + limits.invitationMs,
  });
  await rows.changePrepared(tx, userId, { invitation_id: id, mailed_at: null });
  const details = { role: "member" };
  await recordAudit(tx, { action: "invitation-created", actor, target: id, details }, nowMs);
  return token;
}

/** Whether the person has got a message whose link still works. */
async function isMailed(tx: Tx, userId: string, nowMs: number): Promise<boolean> {
  const found = await tx.q
    .selectFrom("prepared_people")
    .innerJoin("invitations", "invitations.id", "prepared_people.invitation_id")
    .select("invitations.id")
    .where("prepared_people.user_id", "=", userId)
    .where("mailed_at", "is not", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs)
    .executeTakeFirst();
  return found !== undefined;
}

/** Somebody who was prepared before, or the account that they have become. */
async function findKnown(q: Tx["q"], userId: string): Promise<accounts.AccountRow | undefined> {
  const found = await accounts.findAccount(q, { id: userId });
  return found?.merged_into == null ? found : await accounts.findAccount(q, { id: found.merged_into });
}

/** Only an address that its owner has proved says who they are. */
async function findByAddress(q: Tx["q"], email: string): Promise<accounts.AccountRow | undefined> {
  const found = email === "" ? undefined : await accounts.findAccount(q, { emailKey: emailKey(email) });
  return found?.email_verified_at == null ? undefined : found;
}

export function visitorOf(user: accounts.AccountRow): Visitor {
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
