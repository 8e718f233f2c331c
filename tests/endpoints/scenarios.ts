import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { ResponseOf, BodyInputOf, EndpointName } from "#contract/api.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { newId } from "#contract/ids.ts";
import { document } from "#fixtures/pdf/write.ts";
import { userMessage } from "#fixtures/people.ts";
import { chatTrace } from "../support/data/traces.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** The owner's objects: a thread with a message, its answer, the run and a file. */
export type OwnedObjects = {
  thread_id: string;
  message_id: string;
  reply_id: string;
  run_id: string;
  /** A held message, if there is one. */
  queued_id: string;
  /** The lease of a message, if there is one. */
  lease_id: string;
  /** A file and the secret of its URL. */
  file_id: string;
  file_secret: string;
  file_key: string;
  /** A well-formed but invalid id of a PDF page. */
  page_id: string;
  /** The query of a signed upload URL. */
  upload: Record<string, string>;
};

export async function ownedObjectsOf(
  owner: Visitor,
  question = "What is mine stays mine. tokens=3",
): Promise<OwnedObjects> {
  const threadId = newId("thread");
  const started = await owner.call("runs.start", {
    params: { thread_id: threadId },
    body: { message: { parent_id: null, content: userMessage(question) } },
  });
  // Wait until the run ends or waits for a person.
  await (await owner.events(started.run_id)).until(({ data }) => /^run-(end|wait)$/.test(data.type));
  const none = { queued_id: newId("message"), lease_id: newId("lease") };
  return { thread_id: threadId, ...started, ...none, ...(await fileOf(owner)) };
}

/** Like `ownedObjectsOf`, with an answer that a client stores with a lease. */
async function ownedObjectsWithLease(owner: Visitor): Promise<OwnedObjects> {
  const mine = await ownedObjectsOf(owner);
  const content = { role: "assistant", content: [] };
  const { lease_id: leaseId } = await owner.call("messages.add", {
    params: { thread_id: mine.thread_id },
    body: { parent_id: mine.message_id, format: "aui/v0", content, open_run: true },
  });
  return { ...mine, lease_id: leaseId! };
}

const onePage = `data:application/pdf;base64,${document([{}]).toString("base64")}`;

/** Uploads a file. */
async function fileOf(owner: Visitor): Promise<OwnedFile> {
  const { signedUrl, publicUrl, key, file_id } = await owner.call("files.upload", {
    body: { filename: "garden.png" },
  });
  const stored = await fetch(signedUrl, { method: "PUT", body: await readFile("fixtures/files/garden.png") });
  expect(stored.status, await stored.text()).toBe(200);
  return {
    page_id: `${"0".repeat(40)}.1.${Date.now() + 3_600_000}.${"A".repeat(43)}.png`,
    file_id,
    file_secret: new URL(publicUrl).pathname.split("/").at(-1)!,
    file_key: key,
    upload: Object.fromEntries(new URL(signedUrl).searchParams),
  };
}

type OwnedFile = Pick<OwnedObjects, "file_id" | "file_secret" | "file_key" | "page_id" | "upload">;

/** Like `ownedObjectsOf`, with a held message: its answer was stopped while the thread was in the trash. */
async function ownedObjectsWithQueued(owner: Visitor): Promise<OwnedObjects> {
  const params = { thread_id: newId("thread") };
  const started = await owner.call("runs.start", {
    params,
    body: { message: { parent_id: null, content: userMessage("What is mine goes on\nendless gap=10") } },
  });
  const queuedId = newId("message");
  await owner.call("runs.start", {
    params,
    body: { message: { id: queuedId, parent_id: started.reply_id, content: userMessage("tokens=2") } },
  });
  await owner.call("threads.remove", { params });
  await owner.call("runs.stop", { params: { run_id: started.run_id } });
  await owner.call("threads.restore", { params });
  const leaseId = newId("lease");
  return { ...params, ...started, queued_id: queuedId, lease_id: leaseId, ...(await fileOf(owner)) };
}

/** Like `ownedObjectsOf`, with three answered messages. */
async function ownedObjectsToSummarize(owner: Visitor): Promise<OwnedObjects> {
  const mine = await ownedObjectsOf(owner);
  let parentId = mine.reply_id;
  for (const question of ["And then? tokens=3", "And at last? tokens=3"]) {
    const started = await owner.call("runs.start", {
      params: { thread_id: mine.thread_id },
      body: { message: { parent_id: parentId, content: userMessage(question) } },
    });
    await (await owner.events(started.run_id)).until(({ data }) => data.type === "run-end");
    parentId = started.reply_id;
  }
  return mine;
}

/** Like `ownedObjectsToSummarize`, with a summary, whose message is `message_id`. */
async function ownedObjectsWithSummary(owner: Visitor): Promise<OwnedObjects> {
  const mine = await ownedObjectsToSummarize(owner);
  const params = { thread_id: mine.thread_id };
  const { summary } = await owner.call("summaries.create", { params, body: {} });
  return { ...mine, message_id: summary.message_id };
}

/** All visible state, to compare before and after a stranger's request. */
export async function stateOf(owner: Visitor, mine: OwnedObjects): Promise<unknown> {
  const params = { thread_id: mine.thread_id };
  const { thread } = await owner.call("threads.get", { params });
  // The title changes shortly after the answer.
  return {
    thread: { ...thread, title: "", title_source: "", updated_at: "" },
    branch: await owner.call("messages.branch", { params }),
    messages: await owner.call("messages.list", { params }),
    run: await owner.call("runs.get", { params: { run_id: mine.run_id } }),
    threads: (await owner.call("threads.list")).threads.map(({ id }) => id),
  };
}

type Request<N extends EndpointName> = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: BodyInputOf<N>;
  headers?: Record<string, string>;
};

export type Scenario<N extends EndpointName> = {
  /** A request that succeeds for the owner of `mine`. */
  request(mine: OwnedObjects, owner: Visitor): Request<N>;
  /** Checks the response for the owner. For streams, its beginning. */
  owner(answer: { body: ResponseOf<N>; text: string }, mine: OwnedObjects): void;
  /**
   * The result of the same request for a user of another workspace: an error code, or `theirs` if it succeeds on their own
   * workspace.
   */
  stranger: ErrorCode | "theirs";
  /** Whether the request changes the owner's objects. */
  changes?: true;
  /** The text of the owner's message, if it must be a special one. */
  question?: string;
  /** Creates the owner's objects, if an answered message is not enough. */
  prepare?(owner: Visitor): Promise<OwnedObjects>;
  /** The error for owners who may not do this. */
  refused?(owner: Visitor): ErrorCode | undefined;
  /** The error for a colleague in the same workspace, if it fails for them only. */
  colleague?: ErrorCode;
  /** The result without a credential. Default: `not-signed-in`. */
  guest?: ErrorCode | "succeeds";
};

const none = (): Request<never> => ({});
/** `tests/accounts/people.test.ts` has the requests about people who exist. */
const nobody = { person_id: "usr_0" };
const noProvider = { sign_in_provider_id: "nobody" };
const noGroup = { group_id: "nothing" };
const noApp = { app_id: "nobody" };
const noBudget = { budget_id: "nothing" };
const noLimits = { tokens_per_day: null, tokens_per_month: null, usd_per_day: null, usd_per_month: null };
const credential = { id: "AAAA", rawId: "AAAA", type: "public-key" as const, clientExtensionResults: {} };
const noPasskey = { ...credential, response: { clientDataJSON: "AAAA", attestationObject: "AAAA" } };
const noProof = {
  ...credential,
  response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
};
const theDefault = { assistant_id: "default" };
/** The provider that the scenario of `providers.create` adds. */
const theWorkshop = { provider_id: "workshop" };

/** One scenario per endpoint. A missing one is a type error. */
export const scenarios: { [N in EndpointName]: Scenario<N> } = {
  "auth.signUpAnonymous": {
    request: none,
    owner: ({ body }) => expect(body.access_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    stranger: "theirs",
    guest: "succeeds",
  },
  "auth.refresh": {
    request: () => ({ body: { refresh_token: "refresh_0nobodysToken" } }),
    owner: () => {},
    stranger: "invalid-refresh-token",
    guest: "invalid-refresh-token",
  },
  "accounts.options": {
    request: none,
    owner: ({ body }) =>
      expect(body).toEqual({
        has_accounts: false,
        joining: "invitation",
        has_domains: false,
        guests: true,
        mails: false,
        providers: [],
      }),
    stranger: "theirs",
    guest: "succeeds",
  },
  // `tests/accounts/` has those of the web app's own page, and of people with an account.
  "accounts.signUp": {
    request: () => ({ body: { name: "Ada", email: "ada@example.com", password: "correct horse" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.signIn": {
    request: () => ({ body: { email: "ada@example.com", password: "correct horse" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.resetPassword": {
    request: () => ({ body: { token: "reset_0x", password: "correct horse" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.checkInvitation": {
    request: () => ({ body: { token: "invite_0x" } }),
    owner: () => {},
    stranger: "invitation-invalid",
    guest: "invitation-invalid",
  },
  "accounts.update": {
    request: () => ({ body: { name: "Ada" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.remove": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.changePassword": {
    request: () => ({ body: { current_password: "correct horse", password: "better horse" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.methods": {
    request: none,
    owner: ({ body }) =>
      expect(body).toEqual({
        has_password: false,
        identities: [],
        proxy: null,
        passkeys: [],
        second_factor: null,
      }),
    stranger: "not-allowed",
  },
  "accounts.removeIdentity": {
    request: () => ({ params: noProvider }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "sign-in-provider-not-found",
  },
  "accounts.removeProxyIdentity": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "proxy-identity-not-found",
  },
  // `tests/accounts/passkeys.test.ts` has those that work.
  "accounts.startPasskeySignIn": {
    request: () => ({ body: {} }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.passkeySignIn": {
    request: () => ({ body: { credential: noProof } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.startPasskeySignUp": {
    request: () => ({ body: { name: "Ada", email: "ada@example.com" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.startPasskey": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.addPasskey": {
    request: () => ({ body: { name: "Phone", credential: noPasskey } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.removePasskey": {
    request: () => ({ params: { passkey_id: "nothing" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "passkey-not-found",
  },
  "accounts.confirm": {
    request: () => ({ body: { password: "correct horse" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  // `tests/accounts/second-factor.test.ts` has those that work.
  "accounts.startSecondFactor": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.addSecondFactor": {
    request: () => ({ body: { setup: "nothing", code: "123456" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "sign-in-expired",
  },
  "accounts.renewRecoveryCodes": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "second-factor-not-found",
  },
  "accounts.removeSecondFactor": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "second-factor-not-found",
  },
  "accounts.proxyPerson": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ email: null }),
    stranger: "theirs",
    guest: "succeeds",
  },
  "accounts.proxySignIn": {
    request: () => ({ body: {} }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  // `tests/accounts/mail.test.ts` has those that send.
  "mail.get": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ settings: null }),
    stranger: "not-allowed",
  },
  "mail.put": {
    request: () => ({
      body: {
        host: "127.0.0.1",
        port: 25,
        security: "none",
        username: null,
        sender: "chat@example.com",
      },
    }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "public-url-not-set",
  },
  "mail.remove": {
    request: none,
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "mail-not-set",
  },
  "mail.test": {
    request: () => ({ body: { language: "en" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "no-account",
  },
  "accounts.requestReset": {
    request: () => ({ body: { email: "ada@example.com", language: "en" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  // `tests/accounts/console.test.ts` has apps that exist.
  "console.apps": {
    request: none,
    owner: ({ body }) => expect(body.apps).toMatchObject([{ name: "Parlance" }]),
    stranger: "not-allowed",
  },
  "console.createApp": {
    request: () => ({ body: { name: "shop" } }),
    owner: ({ body }) => expect(body.app_id).toMatch(/^proj_0/),
    stranger: "not-allowed",
  },
  "console.app": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.keys": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.createKey": {
    request: () => ({ params: noApp, body: { name: "my app" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.revokeKey": {
    request: () => ({ params: { ...noApp, key_id: "nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.addOrigin": {
    request: () => ({ params: noApp, body: { origin: "https://app.example.com" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.removeOrigin": {
    request: () => ({ params: noApp, query: { origin: "https://app.example.com" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.putAnonymousTokens": {
    request: () => ({ params: noApp, body: { is_on: true, models: null, budget: noLimits } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.addJwtRule": {
    request: () => ({
      params: noApp,
      body: { issuer: "https://login.example.com/", jwks_url: "https://127.0.0.1:1/jwks" },
    }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.removeJwtRule": {
    request: () => ({ params: { ...noApp, jwt_rule_id: "nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.users": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.threads": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.messages": {
    request: () => ({ params: { ...noApp, thread_id: "nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.runs": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.run": {
    request: () => ({ params: { ...noApp, run_id: "nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.scores": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  "console.usage": {
    request: () => ({ params: noApp }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "app-not-found",
  },
  // `tests/accounts/groups.test.ts` has groups that exist.
  "groups.list": {
    request: none,
    owner: ({ body }) => expect(body.groups).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "groups.create": {
    request: () => ({ body: { name: "Engineers" } }),
    owner: ({ body }) => expect(body).toMatchObject({ name: "Engineers", people: 0, claim: null }),
    stranger: "not-allowed",
  },
  "groups.get": {
    request: () => ({ params: noGroup }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "group-not-found",
  },
  "groups.update": {
    request: () => ({ params: noGroup, body: { name: "Nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "group-not-found",
  },
  "groups.remove": {
    request: () => ({ params: noGroup }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "group-not-found",
  },
  "groups.members": {
    request: () => ({ params: noGroup }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "group-not-found",
  },
  "groups.addMember": {
    request: () => ({ params: { ...noGroup, person_id: "nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "group-not-found",
  },
  "groups.removeMember": {
    request: () => ({ params: { ...noGroup, person_id: "nobody" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "group-not-found",
  },
  // `tests/accounts/budgets.test.ts` has budgets that somebody uses.
  "budgets.own": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ budgets: [] }),
    stranger: "theirs",
  },
  "budgets.list": {
    request: none,
    owner: ({ body }) => expect(body.common.map(({ id }) => id)).toContain("everyone"),
    stranger: "not-allowed",
  },
  "budgets.put": {
    request: () => ({ params: noBudget, body: { ...noLimits, usd_per_day: 1 } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "budget-not-found",
  },
  "budgets.remove": {
    request: () => ({ params: noBudget }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "budget-not-found",
  },
  "accessSettings.get": {
    request: none,
    owner: ({ body }) => expect(body).toMatchObject({ member: { models: null }, link_sharing: true }),
    stranger: "not-allowed",
  },
  "accessSettings.put": {
    request: () => ({ body: {} }),
    owner: ({ body }) => expect(body).toMatchObject({ member: { models: null }, link_sharing: true }),
    stranger: "not-allowed",
  },
  "accounts.startProvider": {
    request: () => ({ params: { provider: "nobody" }, body: {} }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "accounts.finishProvider": {
    request: () => ({ params: { provider: "nobody" }, body: { flow: "flow_0x", response: "?code=x" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  // `tests/accounts/directories.test.ts` has those that exist.
  "accounts.directorySignIn": {
    request: () => ({ params: { provider: "nobody" }, body: { username: "ada", password: "correct horse" } }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "directories.test": {
    request: () => ({
      body: {
        url: "ldap://127.0.0.1:1",
        directory: {
          start_tls: false,
          bind_dn: null,
          base_dn: "dc=example,dc=com",
          user_filter: "(uid={username})",
          id_attribute: null,
          name_attribute: "cn",
          email_attribute: "mail",
          group_base_dn: null,
          group_filter: null,
        },
      },
    }),
    owner: ({ body }) => expect(body.problem).toBe("connection-refused"),
    stranger: "not-allowed",
  },
  // `tests/accounts/sign-in-providers.test.ts` has those that exist.
  "signInProviders.list": {
    request: none,
    owner: ({ body }) => expect(body.providers).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "signInProviders.create": {
    request: () => ({
      body: {
        kind: "github",
        name: "GitHub",
        issuer: "https://github.com",
        client_id: "x",
        email_domains: [],
        trusts_email: false,
        admits_everyone: false,
      },
    }),
    owner: ({ body }) => expect(body.redirect_uri).toMatch(/\/sign-in\/callback\/github(?:-\d+)?$/),
    stranger: "not-allowed",
  },
  "signInProviders.update": {
    request: () => ({ params: noProvider, body: { name: "Work" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "sign-in-provider-not-found",
  },
  "signInProviders.remove": {
    request: () => ({ params: noProvider }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "sign-in-provider-not-found",
  },
  "invitations.list": {
    request: none,
    owner: ({ body }) => expect(body.invitations).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "invitations.create": {
    request: () => ({ body: { role: "member", note: "Ben" } }),
    owner: ({ body }) => expect(body.link).toMatch(/\/invite#invite_0\w{48}$/),
    stranger: "not-allowed",
  },
  "invitations.revoke": {
    request: () => ({ params: { invitation_id: "inv_0" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "invitation-not-found",
  },
  // `tests/sign-in/personal-keys.test.ts` has those of keys that exist.
  "keys.list": {
    request: none,
    owner: ({ body }) => expect(body.keys).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "keys.create": {
    request: () => ({ body: { name: "My editor", expires_in_days: 30 } }),
    owner: ({ body }) => expect(body.secret).toMatch(/^sk_parlance_\w{40}$/),
    stranger: "not-allowed",
  },
  "keys.revoke": {
    request: () => ({ params: { key_id: "pkey_0" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "key-not-found",
  },
  // `tests/shares/` has those of links that exist.
  // `tests/shares/members.test.ts` has those with people.
  "threadMembers.list": {
    request: (mine) => ({ params: { thread_id: mine.thread_id } }),
    owner: ({ body }) => expect(body).toEqual({ members: [] }),
    stranger: "not-allowed",
  },
  "threadMembers.put": {
    request: (mine) => ({
      params: { thread_id: mine.thread_id, member_id: "usr_0" },
      body: { access: "write" },
    }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "member-not-found",
  },
  "threads.panel": {
    request: (mine) => ({ params: { thread_id: mine.thread_id } }),
    owner: ({ body }) => expect(body).toEqual({ panel: null, updated_at: null }),
    stranger: "thread-not-found",
  },
  "threads.setPanel": {
    request: (mine) => ({ params: { thread_id: mine.thread_id }, body: { panel: null } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "thread-not-found",
  },
  "threadMembers.remove": {
    request: (mine) => ({ params: { thread_id: mine.thread_id, member_id: "usr_0" } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "threadMembers.find": {
    request: () => ({ query: { search: "nobody at all" } }),
    owner: ({ body }) => expect(body).toEqual({ candidates: [] }),
    stranger: "not-allowed",
  },
  "threadMembers.threads": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ threads: [] }),
    stranger: "not-allowed",
  },
  "threadMembers.typing": {
    request: (mine) => ({ params: { thread_id: mine.thread_id } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "shares.list": {
    request: none,
    owner: ({ body }) => expect(body.shares).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "shares.create": {
    request: ({ thread_id }) => ({ body: { thread_id, with_files: true } }),
    owner: ({ body }) => expect(body.url).toMatch(/\/s\/[\w-]{32}$/),
    stranger: "not-allowed",
  },
  "shares.update": {
    request: () => ({ params: { share_id: "share_0" }, body: { with_files: false } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "share-not-found",
  },
  "shares.revoke": {
    request: () => ({ params: { share_id: "share_0" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "share-not-found",
  },
  "shares.continue": {
    request: () => ({ body: { token: "nobodysToken" } }),
    owner: () => {},
    stranger: "share-not-found",
    refused: () => "share-not-found",
  },
  "people.list": {
    request: () => ({ query: { limit: "10" } }),
    owner: ({ body }) => expect(body.people).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "people.update": {
    request: () => ({ params: nobody, body: { role: "member" } }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "people.remove": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "people.endSessions": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "people.createResetLink": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "people.removeProxyIdentity": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "people.resetSecondFactor": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "joinRequests.list": {
    request: none,
    owner: ({ body }) => expect(body.requests).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "joinRequests.approve": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "joinRequests.deny": {
    request: () => ({ params: nobody }),
    owner: () => {},
    stranger: "not-allowed",
    refused: () => "person-not-found",
  },
  "signInSettings.get": {
    request: none,
    owner: ({ body }) => expect(body.guests_allowed).toBe(true),
    stranger: "not-allowed",
  },
  "signInSettings.put": {
    request: () => ({ body: { joining: "invitation", guests: true, email_domains: [] } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "modelSettings.get": {
    request: none,
    owner: ({ body }) => expect(body.settings.titles).toBe(true),
    stranger: "not-allowed",
  },
  "modelSettings.put": {
    request: () => ({
      body: { small_model: null, titles: true, summaries: true, suggestions: false, local_only: false },
    }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "audit.list": {
    request: () => ({ query: { limit: "10" } }),
    owner: ({ body }) => expect(body.entries).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "audit.settings": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ keep_days: null }),
    stranger: "not-allowed",
  },
  "audit.changeSettings": {
    request: () => ({ body: { keep_days: null } }),
    owner: () => {},
    stranger: "not-allowed",
  },
  "auth.mint": {
    request: none,
    owner: ({ body }) => expect(body.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    stranger: "backend-only",
  },
  "auth.openSession": {
    request: () => ({ body: {} }),
    owner: () => {},
    stranger: "not-allowed",
    guest: "not-allowed",
  },
  "auth.closeSession": { request: none, owner: () => {}, stranger: "not-allowed", guest: "not-allowed" },
  // `tests/sign-in/sessions.test.ts` has those with sessions.
  "auth.sessions": {
    request: none,
    owner: ({ body }) => expect(body.sessions.filter(({ is_current }) => !is_current)).toEqual([]),
    stranger: "theirs",
  },
  "auth.endSession": {
    request: () => ({ params: { session_id: newId("session") } }),
    owner: () => {},
    refused: () => "session-not-found",
    stranger: "session-not-found",
  },
  "auth.endOtherSessions": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ ended: 0 }),
    stranger: "theirs",
  },
  "auth.me": {
    request: none,
    owner: ({ body }) => expect(body).toMatchObject({ user_id: expect.any(String) as string }),
    stranger: "theirs",
  },

  "threads.list": {
    request: none,
    owner: ({ body }, mine) => expect(body.threads.map(({ id }) => id)).toContain(mine.thread_id),
    stranger: "theirs",
  },
  "threads.create": {
    request: () => ({ body: { last_message_at: new Date(0).toISOString(), title: "New" } }),
    owner: ({ body }) => expect(body.thread_id).toMatch(/^thread_0[0-9a-z]{24}$/),
    stranger: "theirs",
  },
  "threads.claim": {
    request: () => ({ body: { refresh_token: "refresh_0nobodysToken" } }),
    owner: () => {},
    refused: ({ name }) => (name === "dan" ? "anonymous-cannot-claim" : "invalid-refresh-token"),
    stranger: "anonymous-cannot-claim",
  },
  "threads.get": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }, mine) => expect(body.thread.id).toBe(mine.thread_id),
    stranger: "thread-not-found",
  },
  "threads.update": {
    request: ({ thread_id }) => ({
      params: { thread_id },
      body: { is_pinned: true, metadata: { colour: "red" } },
    }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "thread-not-found",
  },
  "threads.remove": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "thread-not-found",
  },
  "threads.restore": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }, mine) => expect(body.thread).toMatchObject({ id: mine.thread_id, deleted_at: null }),
    changes: true,
    stranger: "thread-not-found",
  },

  "exports.thread": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ text }, mine) => {
      const { messages } = JSON.parse(text) as { messages: { id: string }[] };
      expect(messages.map(({ id }) => id)).toEqual([mine.message_id, mine.reply_id]);
    },
    stranger: "thread-not-found",
  },
  "exports.everything": {
    request: none,
    owner: ({ text }, mine) => expect(text).toContain(mine.thread_id.slice("thread_0".length)),
    stranger: "theirs",
  },
  "imports.add": {
    // Ids of another user are replaced by new ones, without an error.
    request: ({ thread_id, message_id }) => ({
      body: {
        format: "parlance-thread",
        version: 1,
        thread: { id: thread_id },
        messages: [
          {
            id: message_id,
            parent_id: null,
            role: "user",
            format: "aui/v0",
            content: userMessage("Brought in"),
          },
        ],
      },
    }),
    owner: ({ text }) => expect(text).toMatch(/"outcome":"unchanged"[^]*"import-end"/),
    stranger: "theirs",
  },
  "threads.askAgain": {
    request: ({ thread_id }) => ({ params: { thread_id, tool_name: "send_letter" } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "thread-not-found",
  },

  "trash.list": {
    request: none,
    owner: ({ body }, mine) => expect(body.threads.map(({ id }) => id)).not.toContain(mine.thread_id),
    stranger: "theirs",
  },
  "trash.empty": {
    request: none,
    owner: ({ body }) => expect(body).toEqual({ deleted: expect.any(Number) as number }),
    stranger: "theirs",
  },
  "trash.remove": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: () => {},
    // The thread is not in the trash.
    refused: () => "thread-not-found",
    stranger: "thread-not-found",
  },

  "messages.list": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }, mine) =>
      expect(body.messages.map(({ id }) => id)).toEqual([mine.reply_id, mine.message_id]),
    stranger: "theirs",
  },
  "messages.add": {
    request: ({ thread_id, reply_id }) => ({
      params: { thread_id },
      body: { parent_id: reply_id, format: "aui/v0", content: { role: "user", content: [] } },
    }),
    owner: ({ body }) => expect(body.message_id).toMatch(/^msg_0[0-9a-z]{24}$/),
    changes: true,
    stranger: "thread-not-found",
  },
  "messages.update": {
    request: ({ thread_id, message_id }) => ({
      params: { thread_id, message_id },
      body: { content: { role: "user", content: [{ type: "text", text: "changed" }] } },
    }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "thread-not-found",
  },
  "clientLeases.heartbeat": {
    request: ({ thread_id, lease_id }) => ({ params: { thread_id, lease_id } }),
    owner: ({ body }) => expect(body).toEqual({ heartbeat_interval_ms: limits.clientHeartbeatMs }),
    changes: true,
    prepare: ownedObjectsWithLease,
    stranger: "thread-not-found",
  },
  "clientLeases.end": {
    request: ({ thread_id, lease_id }) => ({
      params: { thread_id, lease_id },
      body: { reason: "cancelled" },
    }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    prepare: ownedObjectsWithLease,
    stranger: "thread-not-found",
  },
  "messages.remove": {
    request: ({ thread_id, reply_id }) => ({ params: { thread_id }, body: { message_ids: [reply_id] } }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "thread-not-found",
  },
  "messages.feedback": {
    request: ({ thread_id, reply_id }) => ({
      params: { thread_id, message_id: reply_id },
      body: { type: "negative", reason: "style", comment: "mine" },
    }),
    owner: ({ body }) => expect(body).toMatchObject({ type: "negative", reason: "style", comment: "mine" }),
    changes: true,
    stranger: "thread-not-found",
  },
  "messages.withdrawFeedback": {
    request: ({ thread_id, reply_id }) => ({ params: { thread_id, message_id: reply_id } }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "thread-not-found",
  },
  "messages.branch": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }, mine) =>
      expect(body.messages.map(({ id }) => id)).toEqual([mine.message_id, mine.reply_id]),
    stranger: "thread-not-found",
  },
  "messages.setHead": {
    request: ({ thread_id, message_id }) => ({ params: { thread_id }, body: { message_id } }),
    owner: ({ body }, mine) => expect(body.head_id).toBe(mine.reply_id),
    changes: true,
    stranger: "thread-not-found",
  },

  "runs.start": {
    request: ({ thread_id, message_id }) => ({ params: { thread_id }, body: { parent_id: message_id } }),
    owner: ({ body }, mine) => expect(body.message_id).toBe(mine.message_id),
    changes: true,
    stranger: "thread-not-found",
  },
  "runs.get": {
    request: ({ run_id }) => ({ params: { run_id } }),
    owner: ({ body }, mine) => expect(body.run).toMatchObject({ id: mine.run_id, state: "completed" }),
    stranger: "run-not-found",
  },
  "runs.events": {
    request: ({ run_id }) => ({ params: { run_id } }),
    owner: ({ text }) => expect(text).toMatch(/^id: 1\ndata: \{"type":"run-start"[^]*"run-end"[^]*\n\n$/),
    stranger: "run-not-found",
  },
  "runs.continue": {
    request: ({ run_id }) => ({ params: { run_id }, body: {} }),
    owner: ({ body }, mine) => expect(body).toMatchObject({ reply_id: mine.reply_id }),
    stranger: "run-not-found",
    changes: true,
    question: "This breaks off. tokens=5 die=3",
  },
  "runs.stop": {
    request: ({ run_id }) => ({ params: { run_id } }),
    owner: ({ body }, mine) => expect(body.run).toMatchObject({ id: mine.run_id, state: "completed" }),
    stranger: "run-not-found",
  },
  "runs.approve": {
    request: ({ run_id }) => ({
      params: { run_id },
      body: { tool_call_id: "call_0_0", approved: false, reason: "Not today." },
    }),
    owner: ({ body }, mine) => expect(body.run.id).toBe(mine.run_id),
    stranger: "run-not-found",
    changes: true,
    question: 'Write to Ben. tool=send_letter({"to":"Ben"})',
  },
  "runs.giveResult": {
    request: ({ run_id }) => ({
      params: { run_id },
      body: { tool_call_id: "call_0_0", result: { chosen: ["red"] } },
    }),
    owner: ({ body }, mine) => expect(body.run.id).toBe(mine.run_id),
    stranger: "run-not-found",
    changes: true,
    question: 'Ask me. tool=ask_person({"question":"Which?","choices":["red","blue"]})',
  },
  "runs.stream": {
    request: ({ thread_id }) => ({
      body: { thread_id, assistant_id: "system/thread_title", messages: [{ role: "user", content: [] }] },
    }),
    owner: ({ text }) => expect(text).not.toBe(""),
    stranger: "thread-not-found",
  },
  "runs.resume": {
    request: ({ run_id }) => ({ params: { run_id } }),
    owner: ({ text }) => expect(text).toMatch(/^data: \{"type":"start"[^]*\ndata: \[DONE\]\n\n$/),
    stranger: "run-not-found",
  },

  "runs.report": {
    request: ({ thread_id, reply_id }) => ({
      body: { thread_id, message_id: reply_id, status: "completed" },
    }),
    owner: ({ body }) => expect(body.run_id).toMatch(/^run_0[0-9a-z]{24}$/),
    changes: true,
    stranger: "thread-not-found",
  },

  "queue.update": {
    request: ({ thread_id, queued_id }) => ({
      params: { thread_id, queued_id },
      body: { content: userMessage("In other words") },
    }),
    owner: ({ body }) => expect(body).toEqual({}),
    prepare: ownedObjectsWithQueued,
    changes: true,
    stranger: "thread-not-found",
  },
  "queue.remove": {
    request: ({ thread_id, queued_id }) => ({ params: { thread_id, queued_id } }),
    owner: ({ body }) => expect(body).toEqual({}),
    prepare: ownedObjectsWithQueued,
    changes: true,
    stranger: "thread-not-found",
  },
  "queue.send": {
    request: ({ thread_id, queued_id }) => ({ params: { thread_id, queued_id } }),
    owner: ({ body }, mine) => expect(body.message_id).toBe(mine.queued_id),
    prepare: ownedObjectsWithQueued,
    changes: true,
    stranger: "thread-not-found",
  },

  "messages.copyBranch": {
    request: ({ thread_id, message_id }) => ({ params: { thread_id, message_id }, body: {} }),
    owner: ({ body }, mine) => {
      expect(body.thread_id).toMatch(/^thread_/);
      expect(body.thread_id).not.toBe(mine.thread_id);
    },
    changes: true,
    stranger: "thread-not-found",
  },
  "messages.pin": {
    request: ({ thread_id, message_id }) => ({
      params: { thread_id, message_id },
      body: { is_pinned: true },
    }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "thread-not-found",
  },
  "suggestions.get": {
    request: ({ thread_id, reply_id }) => ({ params: { thread_id, message_id: reply_id } }),
    owner: ({ body }) => expect(body.suggestions).toEqual([]),
    stranger: "thread-not-found",
  },
  "summaries.list": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }) => expect(body).toEqual({ summaries: [] }),
    stranger: "thread-not-found",
  },
  "summaries.create": {
    request: ({ thread_id }) => ({ params: { thread_id }, body: {} }),
    owner: ({ body }, mine) => expect(body.summary).toMatchObject({ message_id: mine.reply_id }),
    prepare: ownedObjectsToSummarize,
    changes: true,
    stranger: "thread-not-found",
  },
  "summaries.update": {
    request: ({ thread_id, message_id: summary_id }) => ({
      params: { thread_id, summary_id },
      body: { text: "What is mine was said." },
    }),
    owner: ({ body }, mine) =>
      expect(body.summary).toMatchObject({ message_id: mine.message_id, message_count: 2, is_edited: true }),
    prepare: ownedObjectsWithSummary,
    changes: true,
    stranger: "thread-not-found",
  },
  "summaries.remove": {
    request: ({ thread_id, message_id: summary_id }) => ({ params: { thread_id, summary_id } }),
    owner: ({ body }) => expect(body).toEqual({}),
    prepare: ownedObjectsWithSummary,
    changes: true,
    stranger: "thread-not-found",
  },
  "threads.context": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }) => expect(body.parts.map(({ kind }) => kind)).toContain("messages"),
    stranger: "thread-not-found",
  },

  "traces.add": {
    // One trace per visitor, because they share an app.
    request: ({ thread_id }) => ({ body: chatTrace(thread_id) }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    stranger: "backend-only",
  },

  "files.upload": {
    request: () => ({ body: { filename: "garden.png" } }),
    owner: ({ body }) => {
      expect(body.success).toBe(true);
      expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    },
    changes: true,
    stranger: "theirs",
  },
  "files.list": {
    request: none,
    owner: ({ body }, mine) => expect(body.files.map(({ id }) => id)).toContain(mine.file_id),
    stranger: "theirs",
  },
  "files.get": {
    request: ({ file_id }) => ({ params: { file_id } }),
    owner: ({ body }, mine) =>
      expect(body).toMatchObject({
        id: mine.file_id,
        name: "garden.png",
        type: "image/png",
        threads: [],
        is_sent: false,
      }),
    stranger: "file-not-found",
  },
  "files.remove": {
    request: ({ file_id }) => ({ params: { file_id } }),
    owner: ({ body }) => expect(body).toEqual({}),
    changes: true,
    colleague: "not-allowed",
    stranger: "file-not-found",
  },
  "files.receive": {
    // Anyone with the URL may use it once. This URL already has another file.
    request: ({ file_id, upload }) => ({ params: { file_id }, query: upload }),
    owner: () => {},
    refused: () => "file-already-stored",
    stranger: "file-already-stored",
    guest: "file-already-stored",
  },
  "files.download": {
    request: ({ file_key }) => ({ body: { key: file_key } }),
    owner: ({ body }, mine) => expect(body.key).toBe(mine.file_key),
    stranger: "file-not-found",
  },
  "files.read": {
    request: ({ file_id }) => ({ params: { file_id } }),
    owner: ({ text }) => expect(text).toContain("PNG"),
    stranger: "file-not-found",
  },
  "files.thumbnail": {
    request: ({ file_id }) => ({ params: { file_id } }),
    owner: ({ text }) => expect(text).toContain("WEBP"),
    stranger: "file-not-found",
  },
  "files.text": {
    request: ({ file_id }) => ({ params: { file_id } }),
    owner: ({ body }) => expect(body).toMatchObject({ type: "image/png", text: null, reason: "kind" }),
    stranger: "file-not-found",
  },
  "files.open": {
    request: ({ file_id, file_secret }) => ({ params: { file_id, file_secret } }),
    owner: ({ text }) => expect(text).toContain("PNG"),
    stranger: "theirs",
    guest: "succeeds",
  },
  "files.pdfToImages": {
    request: () => ({ body: { file_blob: onePage } }),
    owner: ({ body }) => {
      expect(body.success).toBe(true);
      expect(body.pages).toEqual([{ url: body.urls[0], width: 1240, height: 1754, text: "Page 1" }]);
    },
    stranger: "theirs",
  },
  "files.openPage": {
    // The page id is not signed. `tests/files/pdf.test.ts` opens signed ones.
    request: ({ page_id }) => ({ params: { page_id } }),
    owner: () => {},
    refused: () => "file-not-found",
    stranger: "file-not-found",
    guest: "file-not-found",
  },

  "scores.put": {
    request: ({ run_id }) => ({ body: { run_id, name: "quality", data_type: "numeric", value: 0.5 } }),
    owner: ({ body }) => expect(body).toMatchObject({ name: "quality", value: 0.5, string_value: null }),
    changes: true,
    stranger: "run-not-found",
  },
  "events.add": {
    request: ({ thread_id }) => ({ body: { events: [{ kind: "message_copied", thread_id }] } }),
    owner: ({ body }) => expect(body).toEqual({ accepted: 1 }),
    changes: true,
    stranger: "theirs",
  },

  "apps.threads": {
    request: () => ({ query: { limit: "100" } }),
    owner: ({ body }) => expect(body.threads.length).toBeGreaterThan(0),
    stranger: "backend-only",
  },
  "apps.messages": {
    request: ({ thread_id }) => ({ params: { thread_id } }),
    owner: ({ body }, mine) =>
      expect(body.messages.map(({ id }) => id)).toEqual([mine.reply_id, mine.message_id]),
    stranger: "backend-only",
  },
  "apps.runs": {
    request: ({ thread_id }) => ({ query: { thread_id } }),
    owner: ({ body }, mine) => expect(body.runs).toMatchObject([{ id: mine.run_id, status: "completed" }]),
    stranger: "backend-only",
  },
  "apps.run": {
    request: ({ run_id }) => ({ params: { run_id } }),
    owner: ({ body }, mine) => expect(body).toMatchObject({ id: mine.run_id, thread_id: mine.thread_id }),
    stranger: "backend-only",
  },
  "runs.receipt": {
    request: ({ run_id }) => ({ params: { run_id } }),
    owner: ({ body }) =>
      expect(body.receipt.requests[0]).toMatchObject({ purpose: "answer", model: "env/fixture-1" }),
    stranger: "run-not-found",
  },
  "usage.own": {
    request: () => ({ query: { group_by: "model" } }),
    owner: ({ body }) => expect(body.rows).toMatchObject([{ model: "env/fixture-1", cost_usd: 0 }]),
    stranger: "theirs",
  },
  "usage.everyone": {
    request: none,
    owner: ({ body }) => expect(body.rows).toHaveLength(1),
    stranger: "not-allowed",
  },
  "apps.usage": {
    request: none,
    owner: ({ body }) => expect(body.days).toHaveLength(30),
    stranger: "backend-only",
  },
  "apps.usagePeriod": {
    request: none,
    owner: ({ body }) => expect(body).toMatchObject({ plan: "self-hosted", cap: null }),
    stranger: "backend-only",
  },
  "apps.scores": {
    request: ({ thread_id }) => ({ query: { thread_id } }),
    owner: ({ body }) => expect(body).toEqual({ scores: [] }),
    stranger: "backend-only",
  },
  "apps.eraseUser": {
    // An unknown user, because the tests share an app.
    request: () => ({ params: { user_id: "user_nobody" } }),
    owner: ({ body }) => expect(body).toEqual({ threads: 0, runs: 0 }),
    stranger: "backend-only",
  },

  "search.find": {
    // Every endpoint's thread matches.
    request: () => ({ query: { q: "mine stays", limit: String(limits.searchPageMax) } }),
    owner: ({ body }, mine) =>
      expect(body.hits.map(({ message_id }) => message_id)).toContain(mine.message_id),
    stranger: "theirs",
  },

  "search.threads": {
    // Every endpoint's thread matches.
    request: () => ({ query: { q: "mine stays", limit: String(limits.searchPageMax) } }),
    owner: ({ body }, mine) => {
      const hits = body.results.flatMap((result) => result.hits);
      expect(hits.map(({ message_id }) => message_id)).toContain(mine.message_id);
    },
    stranger: "theirs",
  },

  "mcp.call": {
    request: none,
    owner: () => {},
    refused: () => "mcp-not-offered",
    stranger: "backend-only",
  },

  "live.follow": {
    request: ({ run_id }) => ({ query: { after: "0", runs: `${run_id}:0` } }),
    owner: ({ text }, mine) => expect(text).toContain(mine.thread_id),
    stranger: "theirs",
  },
  "models.list": {
    request: none,
    owner: ({ body }) => expect(body.models.map(({ id }) => id)).toContain(body.default_model),
    stranger: "theirs",
  },

  "assistants.list": {
    request: none,
    owner: ({ body, text }) => {
      expect(body.assistants.map(({ id }) => id)).toContain("default");
      expect(text).not.toContain("instructions");
    },
    stranger: "theirs",
  },
  "assistants.get": {
    request: () => ({ params: theDefault }),
    owner: ({ body }) => expect(body.settings).toMatchObject({ tools: null, parameters: {} }),
    stranger: "not-allowed",
  },
  "assistants.create": {
    request: () => ({ body: { name: "Gardener", instructions: "Speak of plants." } }),
    owner: ({ body, text }) => {
      expect(body.assistant).toMatchObject({ name: "Gardener", avatar: { text: "G" } });
      expect(text).not.toContain("Speak of plants.");
    },
    stranger: "not-allowed",
  },
  "assistants.update": {
    request: () => ({ params: theDefault, body: { starters: ["What is new?"] } }),
    owner: ({ body }) => expect(body.assistant).toMatchObject({ id: "default", starters: ["What is new?"] }),
    stranger: "not-allowed",
  },
  "assistants.reorder": {
    request: () => ({ body: { assistant_ids: ["default"] } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "assistants.remove": {
    request: () => ({ params: theDefault }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "assistants.restore": {
    request: () => ({ params: theDefault }),
    owner: ({ body }) => expect(body.assistant.id).toBe("default"),
    stranger: "not-allowed",
  },
  "comparisons.start": {
    request: ({ thread_id, message_id }) => ({
      params: { thread_id },
      body: { parent_id: message_id, models: ["fixture-1", "builtin"] },
    }),
    owner: ({ body }) => expect(body.comparison.answers).toHaveLength(2),
    changes: true,
    stranger: "thread-not-found",
  },
  "comparisons.get": {
    request: () => ({ params: { comparison_id: newId("comparison") } }),
    owner: () => {},
    // The examples of the owner have none.
    refused: () => "comparison-not-found",
    stranger: "comparison-not-found",
  },
  "comparisons.choose": {
    request: ({ reply_id }) => ({
      params: { comparison_id: newId("comparison") },
      body: { reply_id },
    }),
    owner: () => {},
    refused: () => "comparison-not-found",
    stranger: "comparison-not-found",
  },
  "comparisons.wins": {
    request: none,
    owner: ({ body }) => expect(body.models).toEqual([]),
    stranger: "theirs",
  },
  "providers.list": {
    request: none,
    owner: ({ body }) => expect(body.providers.map(({ id }) => id)).toContain("env"),
    stranger: "not-allowed",
  },
  "providers.create": {
    request: () => ({
      body: { kind: "openai-compatible", name: "Workshop", base_url: "http://127.0.0.1:9/v1" },
    }),
    owner: ({ body }) => expect(body.provider).toMatchObject({ id: "workshop", state: "failing" }),
    stranger: "not-allowed",
  },
  "providers.update": {
    request: () => ({ params: theWorkshop, body: { version: 1, name: "Attic" } }),
    owner: ({ body }) => expect(body.provider).toMatchObject({ id: "workshop", name: "Attic", version: 2 }),
    stranger: "not-allowed",
  },
  "providers.reorder": {
    request: () => ({ body: { provider_ids: ["workshop"] } }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "providers.remove": {
    request: () => ({ params: theWorkshop }),
    owner: ({ body }) => expect(body).toEqual({}),
    stranger: "not-allowed",
  },
  "providers.test": {
    request: () => ({ body: { kind: "openai-compatible", base_url: "http://127.0.0.1:9/v1" } }),
    owner: ({ body }) => expect(body).toMatchObject({ problem: "provider-unreachable", latency_ms: null }),
    stranger: "not-allowed",
  },
  "providers.pull": {
    request: () => ({ params: { provider_id: "env" }, body: { model: "llama3.2" } }),
    owner: () => {},
    // The provider is no Ollama server.
    refused: () => "bad-request",
    stranger: "not-allowed",
  },
  "providers.removeModel": {
    request: () => ({ params: { provider_id: "env" }, body: { model: "llama3.2" } }),
    owner: () => {},
    refused: () => "bad-request",
    stranger: "not-allowed",
  },
  "providers.suggestions": {
    request: none,
    owner: ({ body }) => expect(body.suggestions).toBeInstanceOf(Array),
    stranger: "not-allowed",
  },
  "tools.list": {
    request: none,
    owner: ({ body }) => expect(body.tools.map(({ name }) => name)).toContain("calculate"),
    stranger: "not-allowed",
  },

  // Must be last, because it erases all data of the owner.
  "personalInstructions.get": {
    request: none,
    owner: ({ body }) => expect(typeof body.instructions).toBe("string"),
    refused: ({ name }) => (name === "dan" ? undefined : "not-allowed"),
    stranger: "theirs",
  },
  "personalInstructions.put": {
    request: () => ({ body: { instructions: "I garden near Lyon." } }),
    owner: () => {},
    refused: ({ name }) => (name === "dan" ? undefined : "not-allowed"),
    stranger: "theirs",
  },
  "health.report": {
    request: none,
    owner: ({ body }) => expect(body.database.size_bytes).toBeGreaterThan(0),
    stranger: "not-allowed",
  },
  "health.check": {
    request: none,
    owner: ({ body }) => expect(body.result!.faults).toEqual([]),
    stranger: "not-allowed",
  },
  "profile.update": {
    request: () => ({ body: { language: "en", default_model: null } }),
    owner: ({ body }) => expect(body.profile).toMatchObject({ language: "en", default_model: null }),
    stranger: "not-allowed",
  },
  "profile.picture": {
    // The id is a secret. `tests/accounts/profile.test.ts` reads pictures.
    request: () => ({ params: { picture_id: "0x" } }),
    owner: () => {},
    refused: () => "picture-not-found",
    stranger: "picture-not-found",
    guest: "picture-not-found",
  },
  "labels.list": {
    request: none,
    owner: ({ body }) => expect(body.labels).toBeInstanceOf(Array),
    refused: () => undefined,
    stranger: "theirs",
  },
  "labels.put": {
    request: () => ({
      params: { label_id: newId("label") },
      body: { kind: "tag", name: newId("label") },
    }),
    owner: ({ body }) => expect(body.label).toMatchObject({ kind: "tag" }),
    refused: () => undefined,
    stranger: "theirs",
  },
  "labels.remove": {
    request: () => ({ params: { label_id: newId("label") } }),
    owner: () => {},
    refused: () => "label-not-found",
    stranger: "label-not-found",
  },
  "prompts.list": {
    request: none,
    owner: ({ body }) => expect(body.prompts).toBeInstanceOf(Array),
    refused: ({ name }) => (name === "dan" ? undefined : "not-allowed"),
    stranger: "theirs",
  },
  "prompts.put": {
    request: () => ({
      params: { prompt_id: newId("prompt") },
      body: { title: "Sow", text: "When do I sow {{plant}}?" },
    }),
    owner: ({ body }) => expect(body.prompt).toMatchObject({ title: "Sow", is_shared: false }),
    refused: ({ name }) => (name === "dan" ? undefined : "prompt-not-found"),
    stranger: "theirs",
  },
  "prompts.remove": {
    request: () => ({ params: { prompt_id: newId("prompt") } }),
    owner: () => {},
    refused: () => "prompt-not-found",
    stranger: "prompt-not-found",
  },
  "erasure.everything": {
    request: none,
    owner: ({ body }) => expect(body.threads).toBeGreaterThan(0),
    refused: ({ name }) => (name === "dan" ? undefined : "not-allowed"),
    stranger: "theirs",
  },
};

/** Creates the objects that the endpoint's scenario needs. */
export async function newOwnedObjects(name: EndpointName, owner: Visitor): Promise<OwnedObjects> {
  const { prepare, question } = scenarios[name] as Scenario<EndpointName>;
  return await (prepare?.(owner) ?? ownedObjectsOf(owner, question));
}
