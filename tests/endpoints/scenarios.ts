import { expect } from "vitest";
import type { ResponseOf, BodyInputOf, EndpointName } from "#contract/api.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { newId } from "#contract/ids.ts";
import { document } from "#fixtures/pdf/write.ts";
import { userMessage } from "#fixtures/people.ts";
import { chatTrace } from "../support/data/traces.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import {
  ownedObjectsToSummarize,
  ownedObjectsWithLease,
  ownedObjectsWithQueued,
  ownedObjectsWithSummary,
  type OwnedObjects,
} from "./owned-objects.ts";

/** A value, or how to make it of the owner's objects. */
type Given<Value> = Value | ((mine: OwnedObjects) => Value);

/** How an endpoint differs from the defaults in `ask-endpoint.ts`. */
export type Scenario<N extends EndpointName> = {
  /** A request that succeeds for the owner of the objects. Default for `params`: the owner's ids, else unknown ones. */
  params?: Given<Record<string, string>>;
  query?: Given<Record<string, string>>;
  body?: Given<BodyInputOf<N>>;
  /** Checks the response for the owner. For streams, its beginning. Default: it has the status and the schema of the reference. */
  owner?(answer: { body: ResponseOf<N>; text: string }, mine: OwnedObjects): void;
  /**
   * The result of the same request for a user of another workspace: an error code, or `theirs` if it succeeds on their own
   * workspace. Default: by the caller; and what the path names is not found.
   */
  stranger?: ErrorCode | "theirs";
  /** Whether the request changes the owner's objects. Default: whether it is no GET and its path names them. */
  changes?: true;
  /** The text of the owner's message, if it must be a special one. */
  question?: string;
  /** Creates the owner's objects, if an answered message is not enough. */
  prepare?(owner: Visitor): Promise<OwnedObjects>;
  /** The error for owners who may not do this. Default: what the path names and they do not have is not found. */
  refused?: ErrorCode | ((owner: Visitor) => ErrorCode | undefined);
  /** The error for a colleague in the same workspace, if it fails for them only. */
  colleague?: ErrorCode;
  /** The result without a credential. Default: `not-signed-in`, if the endpoint is not for anyone. */
  guest?: ErrorCode | "succeeds";
};

const noLimits = { tokens_per_day: null, tokens_per_month: null, usd_per_day: null, usd_per_month: null };
const credential = { id: "AAAA", rawId: "AAAA", type: "public-key" as const, clientExtensionResults: {} };
const noPasskey = { ...credential, response: { clientDataJSON: "AAAA", attestationObject: "AAAA" } };
const noProof = {
  ...credential,
  response: { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" },
};
const onePage = `data:application/pdf;base64,${document([{}]).toString("base64")}`;
const alertRule = {
  kind: "silence",
  threshold: null,
  window_minutes: 60,
  email: null,
  language: "en",
  is_on: true,
} as const;
const nothing = (): undefined => undefined;
/** The message in the path is the answer. */
const ofReply = ({ thread_id, reply_id }: OwnedObjects) => ({ thread_id, message_id: reply_id });
const ofSummary = ({ thread_id, message_id }: OwnedObjects) => ({ thread_id, summary_id: message_id });
/** Every endpoint's thread matches. */
const everyMatch = { q: "mine stays", limit: String(limits.searchPageMax) };
/** The error for everybody but the anonymous visitor, because users of a backend have none of this. */
export const forBackends =
  (code: ErrorCode) =>
  ({ name }: Visitor) =>
    name === "dan" ? undefined : code;

/**
 * The endpoints that need more than the defaults. They have the ids that a path names and the owner does not have from
 * `ask-endpoint.ts`: unknown ones. Nouns that people put with ids of their own have theirs from `own-nouns.ts`. The folders of the nouns test those that exist.
 */
export const scenarios: { [N in EndpointName]?: Scenario<N> } = {
  "auth.signUpAnonymous": {
    owner: ({ body }) => expect(body.access_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  },
  "auth.refresh": {
    body: { refresh_token: "refresh_0nobodysToken" },
    stranger: "invalid-refresh-token",
    guest: "invalid-refresh-token",
  },
  "accounts.options": {
    owner: ({ body }) =>
      expect(body).toEqual({
        has_accounts: false,
        joining: "invitation",
        has_domains: false,
        guests: true,
        mails: false,
        providers: [],
      }),
  },
  "accounts.signUp": { body: { name: "Ada", email: "ada@example.com", password: "correct horse" } },
  "accounts.signIn": { body: { email: "ada@example.com", password: "correct horse" } },
  "accounts.resetPassword": { body: { token: "reset_0x", password: "correct horse" } },
  "accounts.checkInvitation": {
    body: { token: "invite_0x" },
    stranger: "invitation-invalid",
    guest: "invitation-invalid",
  },
  "accounts.update": { body: { name: "Ada" }, refused: "no-account" },
  "accounts.remove": { refused: "no-account" },
  "accounts.changePassword": {
    body: { current_password: "correct horse", password: "better horse" },
    refused: "no-account",
  },
  "accounts.methods": {
    owner: ({ body }) =>
      expect(body).toEqual({
        has_password: false,
        identities: [],
        proxy: null,
        passkeys: [],
        second_factor: null,
      }),
  },
  "accounts.removeProxyIdentity": { refused: "proxy-identity-not-found" },
  "accounts.startPasskeySignIn": { body: {} },
  "accounts.passkeySignIn": { body: { credential: noProof } },
  "accounts.startPasskeySignUp": { body: { name: "Ada", email: "ada@example.com" } },
  "accounts.startPasskey": { refused: "no-account" },
  "accounts.addPasskey": { body: { name: "Phone", credential: noPasskey }, refused: "no-account" },
  "accounts.confirm": { body: { password: "correct horse" }, refused: "no-account" },
  "accounts.startSecondFactor": { refused: "no-account" },
  "accounts.addSecondFactor": { body: { setup: "nothing", code: "123456" }, refused: "sign-in-expired" },
  "accounts.renewRecoveryCodes": { refused: "second-factor-not-found" },
  "accounts.removeSecondFactor": { refused: "second-factor-not-found" },
  "accounts.proxyPerson": { owner: ({ body }) => expect(body).toEqual({ email: null }) },
  "accounts.proxySignIn": { body: {} },
  "mail.get": { owner: ({ body }) => expect(body).toEqual({ settings: null }) },
  "mail.put": {
    body: {
      host: "127.0.0.1",
      port: 25,
      security: "none",
      username: null,
      sender: "chat@example.com",
    },
    refused: "public-url-not-set",
  },
  "mail.remove": { refused: "mail-not-set" },
  "mail.test": { body: { language: "en" }, refused: "no-account" },
  "webSearch.get": { owner: ({ body }) => expect(body).toEqual({ settings: null }) },
  "webSearch.put": { body: { service: "brave", address: null, key: "the key" } },
  "webSearch.remove": {},
  "webSearch.test": { body: { query: "roses" }, refused: "web-search-not-set" },
  "backups.put": {
    body: {
      target: { folder: "/a folder that does not exist", bucket: null },
      time: "03:15",
      keep_days: 14,
      passphrase: "correct horse battery",
    },
    refused: "backup-target-refused",
  },
  "backups.remove": { refused: "backups-not-set" },
  "backups.start": { refused: "backups-not-set" },
  "backups.list": { refused: "backups-not-set" },
  "restores.list": { body: { target: null }, refused: "server-not-empty" },
  "restores.start": {
    body: { target: null, name: "parlance", passphrase: "correct horse" },
    refused: "server-not-empty",
  },
  "restores.get": { owner: ({ body }) => expect(body).toEqual({ restore: null }) },
  "accounts.requestReset": { body: { email: "ada@example.com", language: "en" } },
  "console.apps": { owner: ({ body }) => expect(body.apps).toMatchObject([{ name: "Parlance" }]) },
  "console.createApp": {
    body: { name: "shop" },
    owner: ({ body }) => expect(body.app_id).toMatch(/^proj_0/),
  },
  "console.createKey": { body: { name: "my app" } },
  "console.addOrigin": { body: { origin: "https://app.example.com" } },
  "console.removeOrigin": { query: { origin: "https://app.example.com" } },
  "console.putAnonymousTokens": { body: { is_on: true, models: null, budget: noLimits } },
  "console.putRetention": {
    body: { keep_threads_days: 90, keep_span_texts_days: null, keep_steps_days: null },
  },
  "alerts.create": { body: alertRule },
  "alerts.change": { body: alertRule },
  "webhooks.create": { body: { url: "https://shop.example.com/hook", events: ["run.ended"] } },
  "webhooks.change": {
    body: { url: "https://shop.example.com/hook", events: ["run.failed"], is_on: true },
  },
  "toolServers.create": { body: { name: "Garden", url: "https://mcp.example.com/mcp" } },
  "toolServers.change": { body: { name: "Garden" } },
  "toolServers.finishSignIn": { body: { flow: "flow_0x", response: "?code=x" }, refused: "sign-in-expired" },
  "console.addJwtRule": {
    body: { issuer: "https://login.example.com/", jwks_url: "https://127.0.0.1:1/jwks" },
  },
  "groups.create": {
    body: { name: "Engineers" },
    owner: ({ body }) => expect(body).toMatchObject({ name: "Engineers", people: 0, claim: null }),
  },
  "groups.update": { body: { name: "Nobody" } },
  "budgets.own": { owner: ({ body }) => expect(body).toEqual({ budgets: [] }) },
  "budgets.list": { owner: ({ body }) => expect(body.common.map(({ id }) => id)).toContain("everyone") },
  "budgets.put": { body: { ...noLimits, usd_per_day: 1 } },
  "accessSettings.get": {
    owner: ({ body }) => expect(body).toMatchObject({ member: { models: null }, link_sharing: true }),
  },
  "accessSettings.put": {
    body: {},
    owner: ({ body }) => expect(body).toMatchObject({ member: { models: null }, link_sharing: true }),
  },
  "accounts.startProvider": { body: {} },
  "accounts.finishProvider": { body: { flow: "flow_0x", response: "?code=x" } },
  "accounts.directorySignIn": { body: { username: "ada", password: "correct horse" } },
  "directories.test": {
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
    owner: ({ body }) => expect(body.problem).toBe("connection-refused"),
  },
  "signInProviders.create": {
    body: {
      kind: "github",
      name: "GitHub",
      issuer: "https://github.com",
      client_id: "x",
      email_domains: [],
      trusts_email: false,
      admits_everyone: false,
    },
    owner: ({ body }) => expect(body.redirect_uri).toMatch(/\/sign-in\/callback\/github(?:-\d+)?$/),
  },
  "signInProviders.update": { body: { name: "Work" } },
  "invitations.create": {
    body: { role: "member", note: "Ben" },
    owner: ({ body }) => expect(body.link).toMatch(/\/invite#invite_0\w{48}$/),
  },
  "keys.create": {
    body: { name: "My editor", expires_in_days: 30 },
    owner: ({ body }) => expect(body.secret).toMatch(/^sk_parlance_\w{40}$/),
  },
  "threadMembers.list": { owner: ({ body }) => expect(body).toEqual({ members: [] }) },
  "threadMembers.put": { body: { access: "write" } },
  "threads.panel": { owner: ({ body }) => expect(body).toEqual({ panel: null, updated_at: null }) },
  "threads.setPanel": { body: { panel: null } },
  "threadMembers.remove": { refused: nothing },
  "threadMembers.find": {
    query: { search: "nobody at all" },
    owner: ({ body }) => expect(body).toEqual({ candidates: [] }),
  },
  "threadMembers.threads": { owner: ({ body }) => expect(body).toEqual({ threads: [] }) },
  "shares.create": {
    body: ({ thread_id }) => ({ thread_id, with_files: true }),
    owner: ({ body }) => expect(body.url).toMatch(/\/s\/[\w-]{32}$/),
  },
  "shares.update": { body: { with_files: false } },
  "shares.continue": {
    body: { token: "nobodysToken" },
    stranger: "share-not-found",
    refused: "share-not-found",
  },
  "people.list": { query: { limit: "10" } },
  "people.update": { body: { role: "member" } },
  "signInSettings.get": { owner: ({ body }) => expect(body.guests_allowed).toBe(true) },
  "signInSettings.put": { body: { joining: "invitation", guests: true, email_domains: [] } },
  "modelSettings.get": { owner: ({ body }) => expect(body.settings.titles).toBe(true) },
  "modelSettings.put": {
    body: { small_model: null, titles: true, summaries: true, suggestions: false, local_only: false },
  },
  "audit.list": { query: { limit: "10" } },
  "audit.settings": { owner: ({ body }) => expect(body).toEqual({ keep_days: null }) },
  "audit.changeSettings": { body: { keep_days: null } },
  "auth.mint": { owner: ({ body }) => expect(body.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/) },
  "auth.openSession": { body: {} },
  "auth.sessions": {
    owner: ({ body }) => expect(body.sessions.filter(({ is_current }) => !is_current)).toEqual([]),
  },
  "auth.endOtherSessions": { owner: ({ body }) => expect(body).toEqual({ ended: 0 }) },
  "auth.me": { owner: ({ body }) => expect(body).toMatchObject({ user_id: expect.any(String) as string }) },
  "threads.list": {
    owner: ({ body }, mine) => expect(body.threads.map(({ id }) => id)).toContain(mine.thread_id),
  },
  "threads.create": {
    body: () => ({ last_message_at: new Date(0).toISOString(), title: "New" }),
    owner: ({ body }) => expect(body.thread_id).toMatch(/^thread_0[0-9a-z]{24}$/),
  },
  "threads.claim": {
    body: { refresh_token: "refresh_0nobodysToken" },
    stranger: "anonymous-cannot-claim",
    refused: ({ name }) => (name === "dan" ? "anonymous-cannot-claim" : "invalid-refresh-token"),
  },
  "threads.get": { owner: ({ body }, mine) => expect(body.thread.id).toBe(mine.thread_id) },
  "threads.update": { body: { is_pinned: true, metadata: { colour: "red" } } },
  "threads.restore": {
    owner: ({ body }, mine) => expect(body.thread).toMatchObject({ id: mine.thread_id, deleted_at: null }),
  },
  "exports.thread": {
    owner: ({ text }, mine) => {
      const { messages } = JSON.parse(text) as { messages: { id: string }[] };
      expect(messages.map(({ id }) => id)).toEqual([mine.message_id, mine.reply_id]);
    },
  },
  "exports.everything": {
    owner: ({ text }, mine) => expect(text).toContain(mine.thread_id.slice("thread_0".length)),
  },
  "preparedPeople.invite": { body: { send: false } },
  // The example is no file of another product.
  "imports.everyone": { refused: "import-unknown" },
  "imports.add": {
    body: ({ thread_id, message_id }) => ({
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
    }),
    owner: ({ text }) => expect(text).toMatch(/"outcome":"unchanged"[^]*"import-end"/),
  },
  "trash.list": {
    owner: ({ body }, mine) => expect(body.threads.map(({ id }) => id)).not.toContain(mine.thread_id),
  },
  "trash.empty": { owner: ({ body }) => expect(body).toEqual({ deleted: expect.any(Number) as number }) },
  "trash.remove": { refused: "thread-not-found" },
  "messages.list": {
    owner: ({ body }, mine) =>
      expect(body.messages.map(({ id }) => id)).toEqual([mine.reply_id, mine.message_id]),
    stranger: "theirs",
  },
  "messages.add": {
    body: ({ reply_id }) => ({
      parent_id: reply_id,
      format: "aui/v0",
      content: { role: "user", content: [] },
    }),
    owner: ({ body }) => expect(body.message_id).toMatch(/^msg_0[0-9a-z]{24}$/),
  },
  "messages.update": { body: { content: { role: "user", content: [{ type: "text", text: "changed" }] } } },
  "clientLeases.heartbeat": {
    owner: ({ body }) => expect(body).toEqual({ heartbeat_interval_ms: limits.clientHeartbeatMs }),
    prepare: ownedObjectsWithLease,
  },
  "clientLeases.end": { body: { reason: "cancelled" }, prepare: ownedObjectsWithLease },
  "messages.remove": { body: ({ reply_id }) => ({ message_ids: [reply_id] }) },
  "messages.feedback": {
    params: ofReply,
    body: { type: "negative", reason: "style", comment: "mine" },
    owner: ({ body }) => expect(body).toMatchObject({ type: "negative", reason: "style", comment: "mine" }),
  },
  "messages.withdrawFeedback": { params: ofReply },
  "messages.branch": {
    owner: ({ body }, mine) =>
      expect(body.messages.map(({ id }) => id)).toEqual([mine.message_id, mine.reply_id]),
  },
  "messages.setHead": {
    body: ({ message_id }) => ({ message_id }),
    owner: ({ body }, mine) => expect(body.head_id).toBe(mine.reply_id),
  },
  "runs.start": {
    body: ({ message_id }) => ({ parent_id: message_id }),
    owner: ({ body }, mine) => expect(body.message_id).toBe(mine.message_id),
  },
  "runs.get": {
    owner: ({ body }, mine) => expect(body.run).toMatchObject({ id: mine.run_id, state: "completed" }),
  },
  "runs.events": {
    owner: ({ text }) => expect(text).toMatch(/^id: 1\ndata: \{"type":"run-start"[^]*"run-end"[^]*\n\n$/),
  },
  "runs.continue": {
    body: {},
    owner: ({ body }, mine) => expect(body).toMatchObject({ reply_id: mine.reply_id }),
    question: "This breaks off. tokens=5 die=3",
  },
  "runs.stop": {
    owner: ({ body }, mine) => expect(body.run).toMatchObject({ id: mine.run_id, state: "completed" }),
  },
  "runs.approve": {
    body: { tool_call_id: "call_0_0", approved: false, reason: "Not today." },
    owner: ({ body }, mine) => expect(body.run.id).toBe(mine.run_id),
    question: 'Write to Ben. tool=send_letter({"to":"Ben"})',
  },
  "runs.giveResult": {
    body: { tool_call_id: "call_0_0", result: { chosen: ["red"] } },
    owner: ({ body }, mine) => expect(body.run.id).toBe(mine.run_id),
    question: 'Ask me. tool=ask_person({"question":"Which?","choices":["red","blue"]})',
  },
  "runs.stream": {
    body: ({ thread_id }) => ({
      thread_id,
      assistant_id: "system/thread_title",
      messages: [{ role: "user", content: [] }],
    }),
    owner: ({ text }) => expect(text).not.toBe(""),
    stranger: "thread-not-found",
  },
  "runs.resume": {
    owner: ({ text }) => expect(text).toMatch(/^data: \{"type":"start"[^]*\ndata: \[DONE\]\n\n$/),
  },
  "runs.report": {
    body: ({ thread_id, reply_id }) => ({ thread_id, message_id: reply_id, status: "completed" }),
    owner: ({ body }) => expect(body.run_id).toMatch(/^run_0[0-9a-z]{24}$/),
    stranger: "thread-not-found",
    changes: true,
  },
  "queue.update": { body: { content: userMessage("In other words") }, prepare: ownedObjectsWithQueued },
  "queue.remove": { prepare: ownedObjectsWithQueued },
  "queue.send": {
    owner: ({ body }, mine) => expect(body.message_id).toBe(mine.queued_id),
    prepare: ownedObjectsWithQueued,
  },
  "messages.copyBranch": {
    body: {},
    owner: ({ body }, mine) => {
      expect(body.thread_id).toMatch(/^thread_/);
      expect(body.thread_id).not.toBe(mine.thread_id);
    },
  },
  "messages.pin": { body: { is_pinned: true } },
  "suggestions.get": { params: ofReply, owner: ({ body }) => expect(body.suggestions).toEqual([]) },
  "summaries.list": { owner: ({ body }) => expect(body).toEqual({ summaries: [] }) },
  "summaries.create": {
    body: {},
    owner: ({ body }, mine) => expect(body.summary).toMatchObject({ message_id: mine.reply_id }),
    prepare: ownedObjectsToSummarize,
  },
  "summaries.update": {
    params: ofSummary,
    body: { text: "What is mine was said." },
    owner: ({ body }, mine) =>
      expect(body.summary).toMatchObject({ message_id: mine.message_id, message_count: 2, is_edited: true }),
    refused: nothing,
    prepare: ownedObjectsWithSummary,
  },
  "summaries.remove": { params: ofSummary, refused: nothing, prepare: ownedObjectsWithSummary },
  "threads.context": {
    owner: ({ body }) => expect(body.parts.map(({ kind }) => kind)).toContain("messages"),
  },
  "traces.add": { body: ({ thread_id }) => chatTrace(thread_id), changes: true },
  "files.upload": {
    body: { filename: "garden.png" },
    owner: ({ body }) => {
      expect(body.success).toBe(true);
      expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    },
    changes: true,
  },
  "files.list": { owner: ({ body }, mine) => expect(body.files.map(({ id }) => id)).toContain(mine.file_id) },
  "files.get": {
    owner: ({ body }, mine) =>
      expect(body).toMatchObject({
        id: mine.file_id,
        name: "garden.png",
        type: "image/png",
        threads: [],
        is_sent: false,
      }),
  },
  "files.remove": { colleague: "not-allowed" },
  "files.receive": {
    query: ({ upload }) => upload,
    stranger: "file-already-stored",
    guest: "file-already-stored",
    refused: "file-already-stored",
  },
  "files.download": {
    body: ({ file_key }) => ({ key: file_key }),
    owner: ({ body }, mine) => expect(body.key).toBe(mine.file_key),
    stranger: "file-not-found",
  },
  "files.read": { owner: ({ text }) => expect(text).toContain("PNG") },
  "files.thumbnail": { owner: ({ text }) => expect(text).toContain("WEBP") },
  "files.text": {
    owner: ({ body }) => expect(body).toMatchObject({ type: "image/png", text: null, reason: "kind" }),
  },
  "files.open": { owner: ({ text }) => expect(text).toContain("PNG") },
  "files.pdfToImages": {
    body: { file_blob: onePage },
    owner: ({ body }) => {
      expect(body.success).toBe(true);
      expect(body.pages).toEqual([{ url: body.urls[0], width: 1240, height: 1754, text: "Page 1" }]);
    },
  },
  "scores.put": {
    body: ({ run_id }) => ({ run_id, name: "quality", data_type: "numeric", value: 0.5 }),
    owner: ({ body }) => expect(body).toMatchObject({ name: "quality", value: 0.5, string_value: null }),
    stranger: "run-not-found",
    changes: true,
  },
  "events.add": {
    body: ({ thread_id }) => ({ events: [{ kind: "message_copied", thread_id }] }),
    owner: ({ body }) => expect(body).toEqual({ accepted: 1 }),
    changes: true,
  },
  "apps.threads": {
    query: { limit: "100" },
    owner: ({ body }) => expect(body.threads.length).toBeGreaterThan(0),
  },
  "apps.messages": {
    owner: ({ body }, mine) =>
      expect(body.messages.map(({ id }) => id)).toEqual([mine.reply_id, mine.message_id]),
  },
  "apps.runs": {
    query: ({ thread_id }) => ({ thread_id }),
    owner: ({ body }, mine) => expect(body.runs).toMatchObject([{ id: mine.run_id, status: "completed" }]),
  },
  "apps.run": {
    owner: ({ body }, mine) => expect(body).toMatchObject({ id: mine.run_id, thread_id: mine.thread_id }),
  },
  "runs.receipt": {
    owner: ({ body }) =>
      expect(body.receipt.requests[0]).toMatchObject({ purpose: "answer", model: "env/fixture-1" }),
  },
  "runs.replay": { refused: "run-steps-not-kept", colleague: "run-not-found" },
  "usage.own": {
    query: { group_by: "model" },
    owner: ({ body }) => expect(body.rows).toMatchObject([{ model: "env/fixture-1", cost_usd: 0 }]),
  },
  "usage.everyone": { owner: ({ body }) => expect(body.rows).toHaveLength(1) },
  "apps.usage": { owner: ({ body }) => expect(body.days).toHaveLength(30) },
  "apps.usagePeriod": { owner: ({ body }) => expect(body).toMatchObject({ plan: "self-hosted", cap: null }) },
  "apps.scores": {
    query: ({ thread_id }) => ({ thread_id }),
    owner: ({ body }) => expect(body).toEqual({ scores: [] }),
  },
  "apps.eraseUser": { owner: ({ body }) => expect(body).toEqual({ threads: 0, runs: 0 }) },
  "search.find": {
    query: everyMatch,
    owner: ({ body }, mine) =>
      expect(body.hits.map(({ message_id }) => message_id)).toContain(mine.message_id),
  },
  "search.threads": {
    query: everyMatch,
    owner: ({ body }, mine) => {
      const hits = body.results.flatMap((result) => result.hits);
      expect(hits.map(({ message_id }) => message_id)).toContain(mine.message_id);
    },
  },
  "mcp.call": { refused: "mcp-not-offered" },
  "live.follow": {
    query: ({ run_id }) => ({ after: "0", runs: `${run_id}:0` }),
    owner: ({ text }, mine) => expect(text).toContain(mine.thread_id),
  },
  "models.list": {
    owner: ({ body }) => expect(body.models.map(({ id }) => id)).toContain(body.default_model),
  },
  "assistants.list": {
    owner: ({ body, text }) => {
      expect(body.assistants.map(({ id }) => id)).toContain("default");
      expect(text).not.toContain("instructions");
    },
  },
  "assistants.get": {
    owner: ({ body }) => expect(body.settings).toMatchObject({ tools: null, parameters: {} }),
  },
  "assistants.create": {
    body: { name: "Gardener", instructions: "Speak of plants." },
    owner: ({ body, text }) => {
      expect(body.assistant).toMatchObject({ name: "Gardener", avatar: { text: "G" } });
      expect(text).not.toContain("Speak of plants.");
    },
  },
  "assistants.update": {
    body: { starters: ["What is new?"] },
    owner: ({ body }) => expect(body.assistant).toMatchObject({ id: "default", starters: ["What is new?"] }),
  },
  "assistants.reorder": { body: { assistant_ids: ["default"] } },
  "assistants.restore": { owner: ({ body }) => expect(body.assistant.id).toBe("default") },
  "comparisons.start": {
    body: ({ message_id }) => ({ parent_id: message_id, models: ["fixture-1", "builtin"] }),
    owner: ({ body }) => expect(body.comparison.answers).toHaveLength(2),
  },
  "comparisons.choose": { body: ({ reply_id }) => ({ reply_id }) },
  "comparisons.wins": { owner: ({ body }) => expect(body.models).toEqual([]) },
  "providers.list": { owner: ({ body }) => expect(body.providers.map(({ id }) => id)).toContain("env") },
  "providers.create": {
    body: { kind: "openai-compatible", name: "Workshop", base_url: "http://127.0.0.1:9/v1" },
    owner: ({ body }) => expect(body.provider).toMatchObject({ id: "workshop", state: "failing" }),
  },
  "providers.update": {
    body: { version: 1, name: "Attic" },
    owner: ({ body }) => expect(body.provider).toMatchObject({ id: "workshop", name: "Attic", version: 2 }),
  },
  "providers.reorder": { body: { provider_ids: ["workshop"] } },
  "providers.test": {
    body: { kind: "openai-compatible", base_url: "http://127.0.0.1:9/v1" },
    owner: ({ body }) => expect(body).toMatchObject({ problem: "provider-unreachable", latency_ms: null }),
  },
  "providers.pull": { params: { provider_id: "env" }, body: { model: "llama3.2" }, refused: "bad-request" },
  "providers.removeModel": {
    params: { provider_id: "env" },
    body: { model: "llama3.2" },
    refused: "bad-request",
  },
  "tools.list": { owner: ({ body }) => expect(body.tools.map(({ name }) => name)).toContain("calculate") },
  "toolRules.list": {
    owner: ({ body }) => expect(body.tools.map(({ name }) => name)).toContain("calculate"),
    refused: forBackends("not-allowed"),
  },
  "toolRules.put": {
    body: { source: "built-in", tool: "date", rule: null },
    refused: forBackends("not-allowed"),
  },
  "toolRules.putForAll": { body: { source: "built-in", tool: "date", rule: null } },
  "personalInstructions.get": {
    owner: ({ body }) => expect(typeof body.instructions).toBe("string"),
    refused: forBackends("not-allowed"),
  },
  "personalInstructions.put": {
    body: { instructions: "I garden near Lyon." },
    refused: forBackends("not-allowed"),
  },
  "health.report": { owner: ({ body }) => expect(body.database.size_bytes).toBeGreaterThan(0) },
  "health.updates": { owner: ({ body }) => expect(body).toMatchObject({ is_on: false, looked_at: null }) },
  "health.lookForUpdates": { body: { is_on: false } },
  "health.check": { owner: ({ body }) => expect(body.result!.faults).toEqual([]) },
  "profile.update": {
    body: { language: "en", default_model: null },
    owner: ({ body }) => expect(body.profile).toMatchObject({ language: "en", default_model: null }),
  },
  // A name is taken only once.
  "labels.put": { body: () => ({ kind: "tag", name: newId("label") }) },
  "erasure.everything": {
    owner: ({ body }) => expect(body.threads).toBeGreaterThan(0),
    refused: forBackends("not-allowed"),
  },
};
