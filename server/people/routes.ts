import { emailKey } from "#contract/accounts/email.ts";
import type { MailKind } from "#contract/accounts/mail-texts.ts";
import type { Database } from "#storage/database/database.ts";
import { actorOf, recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts, Routes } from "#server/lib/route.ts";
import { listAudit } from "./audit-log.ts";
import type { AuditRetention } from "./audit-retention.ts";
import type { JoinRequests } from "./join-requests.ts";
import type { Mailbox, People } from "./people.ts";
import { secondFactorRuleOf, type PolicyStore } from "./accounts/policy.ts";
import type { Mail } from "./mail/mail.ts";
import type { AnonymousTokens } from "#server/apps/anonymous-tokens.ts";

type Names =
  | "people.list"
  | "people.update"
  | "people.remove"
  | "people.endSessions"
  | "people.createResetLink"
  | "people.resetSecondFactor"
  | "people.removeProxyIdentity"
  | "joinRequests.list"
  | "joinRequests.approve"
  | "joinRequests.deny"
  | "signInSettings.get"
  | "signInSettings.put"
  | "audit.list"
  | "audit.settings"
  | "audit.changeSettings";

export function peopleRoutes(
  {
    people,
    joinRequests,
    policy,
    mail,
  }: { people: People; joinRequests: JoinRequests; policy: PolicyStore; mail: Mail },
  {
    db,
    clock,
    anonymousTokens,
    auditRetention,
    webUrl,
    mayStoreSecrets,
  }: {
    db: Database;
    clock: Clock;
    anonymousTokens: AnonymousTokens;
    auditRetention: AuditRetention;
    webUrl: (request: RequestFacts) => string;
    mayStoreSecrets: boolean;
  },
): Routes<Names> {
  const send = async ({ email, language }: Mailbox, kind: MailKind, link: string): Promise<boolean> =>
    email !== null && (await mail.deliver(email, { kind, language, server: new URL(link).host, link }));

  return {
    "people.list": async ({ query }) => await people.list(query),
    "people.update": async ({ visitor, params, body, request }) => {
      await people.update(visitor, params.person_id, body, request.limitKey);
      return {};
    },
    "people.remove": async ({ visitor, params, query, request }) => {
      const { person_id: id } = params;
      if (query.after_export !== true) {
        await people.remove(visitor, id, request.limitKey);
        return { is_mailed: false };
      }
      const mailbox = await people.removeAfterExport(visitor, id, request.limitKey);
      if (!(await mail.isSet())) return { is_mailed: false };
      return { is_mailed: await send(mailbox, "deletion", `${webUrl(request)}/sign-in`) };
    },
    "people.endSessions": async ({ visitor, params, request }) => ({
      ended: await people.endSessions(visitor, params.person_id, request.limitKey),
    }),
    "people.createResetLink": async ({ visitor, params, request }) => {
      const isMailed = await mail.isSet();
      const way = isMailed ? "mailed" : "copied";
      const { token, ...mailbox } = await people.createResetToken(
        visitor,
        params.person_id,
        request.limitKey,
        way,
      );
      const link = `${webUrl(request)}/reset#${token}`;
      if (!isMailed) return { link, is_mailed: false };
      // Not returned to the administrator, who could use it to read the person's chats.
      const wasSent = await send(mailbox, "reset", link);
      // Only after the new link was sent: until then, an earlier one may be the only one that the person has.
      if (wasSent) await people.endEarlierLinks(params.person_id, token);
      return { link: null, is_mailed: wasSent };
    },
    "people.resetSecondFactor": async ({ visitor, params, request }) => {
      await people.resetSecondFactor(visitor, params.person_id, request.limitKey);
      return {};
    },
    "people.removeProxyIdentity": async ({ visitor, params, request }) => {
      await people.removeProxyIdentity(visitor, params.person_id, request.limitKey);
      return {};
    },
    "joinRequests.list": async ({ query }) => await joinRequests.list(query),
    "joinRequests.approve": async ({ visitor, params, request }) => {
      await joinRequests.decide(actorOf({ visitor, request }), params.person_id, true);
      return {};
    },
    "joinRequests.deny": async ({ visitor, params, request }) => {
      await joinRequests.decide(actorOf({ visitor, request }), params.person_id, false);
      return {};
    },
    "signInSettings.get": async () => {
      const { joining, emailDomains, chosenGuests, secondFactor } = await policy.get();
      return {
        settings: { joining, guests: chosenGuests, email_domains: emailDomains, second_factor: secondFactor },
        guests_allowed: policy.guestsAllowed,
        anonymous_projects: (await anonymousTokens.listOn()).map(({ id, name, hasBudget }) => ({
          id,
          name,
          has_budget: hasBudget,
        })),
      };
    },
    "signInSettings.put": async ({ visitor, body, request }) => {
      const emailDomains = [...new Set(body.email_domains.map(emailKey))];
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const { joining, guests: chosenGuests } = body;
        const before = await secondFactorRuleOf(tx.q);
        const secondFactor = body.second_factor === before ? undefined : body.second_factor;
        if (secondFactor !== undefined && visitor.role !== "owner") throw new AppError("not-allowed");
        // Otherwise nobody could set one up.
        if (secondFactor !== undefined && secondFactor !== "optional" && !mayStoreSecrets)
          throw new AppError("secret-not-set");
        await policy.put(tx, { joining, chosenGuests, emailDomains, secondFactor }, nowMs);
        const actor = actorOf({ visitor, request });
        const details = { ...body, second_factor: secondFactor ?? before };
        await recordAudit(tx, { action: "sign-in-settings-changed", actor, details }, nowMs);
      });
      return {};
    },
    "audit.list": async ({ query }) => await listAudit(db, query),
    "audit.settings": async () => ({ keep_days: await auditRetention.get() }),
    "audit.changeSettings": async ({ visitor, body, request }) => {
      await auditRetention.put(body.keep_days, actorOf({ visitor, request }));
      return {};
    },
  };
}
