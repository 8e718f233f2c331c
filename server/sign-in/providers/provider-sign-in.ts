import { createHash } from "node:crypto";
import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { RequestSource } from "#server/people/accounts/account-session.ts";
import { isUsable } from "#server/people/accounts/invitations.ts";
import { findInvitation } from "#server/people/accounts/invitation-rows.ts";
import type { RequireRecentSignIn } from "../recent-sign-in.ts";
import { hashOf } from "../secrets.ts";
import type { Sessions } from "../sessions.ts";
import { checkedProfile, type CompleteSignIn, type ProviderSignInResult } from "./complete-sign-in.ts";
import * as identities from "./identity-rows.ts";
import { redirectUriOf } from "./manage-sign-in-providers.ts";
import type { FlowSecrets, Profile, ProviderClient } from "./profile.ts";
import type { ProviderClients } from "./provider-clients.ts";
import { findProvider, type ProviderRow } from "./rows.ts";

/** Signing in with OpenID providers and GitHub. */
export type ProviderSignIn = {
  /**
   * Where to send the browser, and the flow to finish with. Throws `sign-in-provider-not-found`, `sign-in-unavailable`,
   * `invitation-invalid`; for `connect` also `not-signed-in` and `confirmation-needed`.
   */
  start(
    providerId: string,
    request: { invitation?: string | undefined; connect?: boolean | undefined },
    from: RequestSource,
    webUrl: string,
  ): Promise<{ url: string; flow: string }>;
  /** Finishes a flow, once. `response` is the query that the provider sent the browser back with. */
  finish(
    providerId: string,
    request: { flow: string; response: string },
    from: RequestSource,
    webUrl: string,
  ): Promise<ProviderSignInResult>;
};

export function createProviderSignIn(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  sessions: Sessions;
  clients: ProviderClients;
  complete: CompleteSignIn;
  requireRecent: RequireRecentSignIn;
}): ProviderSignIn {
  const { db, clock, logger, sessions, clients, complete, requireRecent } = options;

  async function requireProvider(id: string): Promise<ProviderRow> {
    const provider = await findProvider(db.read, id);
    // People sign in to a directory without leaving the page.
    if (provider === undefined || provider.kind === "ldap") throw new AppError("sign-in-provider-not-found");
    return provider;
  }

  async function clientOf(provider: ProviderRow): Promise<ProviderClient> {
    return await clients.clientOf(provider).catch((cause: unknown) => {
      logger.warn({ provider: provider.id, err: cause }, "a sign-in provider cannot be used");
      throw new AppError("sign-in-unavailable", { cause });
    });
  }

  /** Throws `sign-in-failed`, whatever is wrong. The log has the reason. */
  async function profileOf(provider: ProviderRow, currentUrl: URL, flow: string): Promise<Profile> {
    const client = await clientOf(provider);
    try {
      const profile = await client.profileOf(currentUrl, secretsOf(flow));
      if (profile.groups === undefined)
        logger.warn(
          { provider: provider.id },
          "a sign-in provider did not name somebody's groups; they stay",
        );
      return checkedProfile(provider, profile);
    } catch (cause) {
      logger.warn({ provider: provider.id, err: cause }, "a sign-in with a provider failed");
      throw new AppError("sign-in-failed", { cause });
    }
  }

  return {
    async start(providerId, { invitation, connect: isConnecting }, from, webUrl) {
      const provider = await requireProvider(providerId);
      const visitor =
        isConnecting === true ? await sessions.findByToken("cookie", from.sessionToken) : undefined;
      if (isConnecting === true && (visitor === undefined || visitor.role === "guest"))
        throw new AppError("not-signed-in");
      if (visitor !== undefined) await requireRecent(visitor);
      const nowMs = clock.now();
      const invitationHash = invitation === undefined ? null : hashOf(invitation);
      if (invitationHash !== null && !isUsable(await findInvitation(db.read, invitationHash), nowMs))
        throw new AppError("invitation-invalid");
      const client = await clientOf(provider);
      // 48 characters of 5 bits: 240 random bits.
      const flow = `flow_0${randomCharacters(48)}`;
      const url = await client.authorizationUrl(redirectUriOf(webUrl, provider.id), secretsOf(flow));
      await db.write(
        async (tx) =>
          await identities.insertFlow(
            tx,
            {
              flow_hash: hashOf(flow),
              provider_id: provider.id,
              user_id: visitor?.userId ?? null,
              invitation_hash: invitationHash,
              expires_at: nowMs + limits.signInFlowMs,
            },
            nowMs,
          ),
      );
      return { url: url.href, flow };
    },

    async finish(providerId, { flow, response }, from, webUrl) {
      const provider = await requireProvider(providerId);
      const begun = await identities.takeFlow(db, hashOf(flow), provider.id, clock.now());
      if (begun === undefined) throw new AppError("sign-in-expired");
      const currentUrl = new URL(redirectUriOf(webUrl, provider.id));
      currentUrl.search = response;
      const profile = await profileOf(provider, currentUrl, flow);
      const begin = { userId: begun.user_id, invitationHash: begun.invitation_hash };
      return await complete(provider, begin, profile, { from, method: "provider" });
    },
  };
}

/** Only the browser has the flow: the database has its hash, and the provider sees values that do not reveal it. */
function secretsOf(flow: string): FlowSecrets {
  const derive = (purpose: string) => createHash("sha256").update(`${purpose} ${flow}`).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), codeVerifier: derive("code verifier") };
}
