import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { auditActions, type AuditAction } from "#contract/accounts/audit-actions.ts";
import { actionsOf } from "#contract/accounts/audit-rules.ts";
import { api, type EndpointName, type ResponseOf } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { newId } from "#contract/ids.ts";
import { groups, commands } from "#cli/commands.ts";
import { startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { startOpenIdProvider } from "#fixtures/openid-provider/openid-provider.ts";
import { createAuthenticator } from "#fixtures/passkeys/authenticator.ts";
import { userMessage } from "#fixtures/people.ts";
import { startToolServer } from "#fixtures/tool-server.ts";
import {
  createOwner,
  join,
  newEmail,
  openBrowser,
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { readWholeLog } from "../support/clients/conversation.ts";
import { describeProviders, providerServer } from "../support/clients/provider-sign-in.ts";
import { importPersonFor } from "../support/clients/transfer.ts";
import { authenticatorOf } from "../support/clients/second-factor.ts";
import { newAddress, type Visitor } from "../support/clients/visitor.ts";
import { auditedDuring, expectAudited } from "../support/data/audit-entries.ts";
import { base, bindDn, bindPassword, slapdMissing, startSlapd, type Slapd } from "../support/ldap/slapd.ts";
import { webUiDatabase } from "../support/data/webui-db.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";
import { otherStatus } from "./examples-that-fail.ts";
import type { Restoration } from "#server/admin/backups/restores.ts";
import { backUpNow, inFolder, newFolder, passphrase } from "../backups/backup-place.ts";

/** Prepares, and returns the request that succeeds and exactly the entries that it writes. */
type Flow = () => Promise<[request: () => Promise<{ status: number; text: string }>, writes: AuditAction[]]>;
type Flows = { [N in EndpointName]?: Record<string, Flow> };

const settings = {
  ...providerServer.settings,
  PROXY_SIGN_IN_ADDRESSES: "127.0.0.1",
  PROXY_SIGN_IN_EMAIL_HEADER: "Remote-Email",
};
const covered = new Set<string>();

function testFlows(flows: Flows, place: () => Parameters<typeof auditedDuring>[0]): void {
  for (const name of Object.keys(flows)) covered.add(name);
  const all = Object.entries(flows).flatMap(([name, ways]) =>
    Object.entries(ways).map(([way, flow]) => [name, way, flow] as const),
  );
  test.for(all)("has what %s does: %s", async ([name, , flow]) => {
    const [request, writes] = await flow();
    const { result, entries } = await auditedDuring(place(), request);
    expect(result.status, result.text).toBe(api[name as EndpointName].status);
    expectAudited((api[name as EndpointName] as Endpoint).audit, entries);
    expect(entries.map(({ action }) => action).toSorted()).toEqual(writes.toSorted());
  });
}

describeServer("the audit log", { ...providerServer, settings, model: true }, (server) => {
  const { made, joined, person, begin, finish, providers } = describeProviders(server);
  const { setUp, codeOf } = authenticatorOf(server);
  const url = () => server().url.replace("127.0.0.1", "localhost");
  const newPerson = async () => await join(made.owner, { email: newEmail("ada") });
  const proxied = (email: string) => openBrowser(server().url, { ...newAddress(), "Remote-Email": email });

  async function withPasskey() {
    const browser = await join(made.owner, { email: newEmail("key"), browser: openBrowser(url()) });
    const authenticator = createAuthenticator(url());
    const credential = authenticator.create((await browser.call("accounts.startPasskey")).options);
    const { id } = await browser.call("accounts.addPasskey", { body: { name: "Phone", credential } });
    return { browser, authenticator, params: { passkey_id: id } };
  }
  async function withProxyIdentity() {
    await made.owner.call("signInSettings.put", {
      body: { joining: "open", guests: true, email_domains: [] },
    });
    const email = newEmail("proxied");
    const browser = proxied(email);
    expect((await browser.post("accounts.proxySignIn", {})).status).toBe(200);
    return { browser, email, params: { person_id: (await browser.call("auth.me")).user_id } };
  }
  async function withOllama() {
    const ollama = await startModelServer({ models: ["llama3.2"] });
    onTestFinished(async () => await ollama.close());
    const body = { kind: "ollama", name: "Cellar", base_url: `http://127.0.0.1:${ollama.port}` } as const;
    const { provider } = await made.owner.call("providers.create", { body });
    return { params: { provider_id: provider.id }, body: { model: "tulip" } };
  }
  async function withPrompt(who: Visitor, isShared: boolean) {
    const params = { prompt_id: newId("prompt") };
    const body = { title: "Sow", text: "When?", is_shared: isShared };
    await who.call("prompts.put", { params, body });
    return { params, body };
  }
  async function withToolServer() {
    const signInServer = await startOpenIdProvider({ forToolServers: true });
    const target = await startToolServer();
    onTestFinished(async () => void (await Promise.all([signInServer.close(), target.close()])));
    target.metadata = {
      resource: target.endpoint,
      authorization_servers: [signInServer.issuer],
      scopes_supported: ["tools:read"],
    };
    target.accepts = () => false;
    signInServer.allowRedirect(`${server().url}/settings/tools`);
    const body = { name: "Garden", url: target.endpoint, is_shared: true };
    const added = await made.owner.call("toolServers.create", { body });
    const params = { tool_server_id: added.server.id };
    async function begin() {
      const { url: there, flow } = await made.owner.call("toolServers.startSignIn", { params });
      return { flow, response: (await signInServer.signIn(there, "ada")).search };
    }
    return { params, begin };
  }
  const guest = async () => {
    const browser = openBrowser(server().url);
    await browser.post("auth.openSession", {});
    return browser;
  };

  testFlows(
    {
      "comparisons.choose": {
        "an answer": async () => {
          const ada = server().inNewWorkspace();
          const { comparison } = await ada.call("comparisons.start", {
            params: { thread_id: newId("thread") },
            body: {
              message: { parent_id: null, content: userMessage("tokens=2") },
              models: ["env/fixture-1", "env/fixture-2"],
            },
          });
          for (const { run_id } of comparison.answers) await readWholeLog(ada, run_id);
          const params = { comparison_id: comparison.id };
          const body = { reply_id: comparison.answers[0]!.reply_id };
          return [async () => await ada.ask("comparisons.choose", { params, body }), []];
        },
      },
      "imports.everyone": {
        "a person in a group, and an assistant": async () => {
          const file = await webUiDatabase((database) => {
            database.person("u1", "Ben", "ben@other.example");
            database.insert("group", { id: "g1", name: "Brought along", user_ids: '["u1"]' });
            const assistant = { base_model_id: "llama3", name: "Gardener", params: "{}", meta: "{}" };
            database.insert("model", { id: "gardener", ...assistant });
          });
          const headers = { "Content-Type": "application/octet-stream" };
          return [
            async () => await made.owner.send("POST", "/v1/people/import", { body: file as never, headers }),
            [
              "content-imported",
              "invitation-created",
              "group-created",
              "group-member-added",
              "assistant-created",
            ],
          ];
        },
      },
      "preparedPeople.invite": {
        "somebody who was imported": async () => {
          const params = { person_id: await importPersonFor(made.owner, newEmail("imported")) };
          return [
            async () => await made.owner.ask("preparedPeople.invite", { params, body: {} }),
            ["invitation-created"],
          ];
        },
      },
      "preparedPeople.remove": {
        "somebody who was imported": async () => {
          const params = { person_id: await importPersonFor(made.owner, newEmail("imported")) };
          return [async () => await made.owner.ask("preparedPeople.remove", { params }), ["person-deleted"]];
        },
      },
      "accounts.remove": {
        "a member": async () => {
          const ada = await newPerson();
          return [async () => await ada.ask("accounts.remove"), ["account-deletion-requested"]];
        },
      },
      "accounts.removeIdentity": {
        "one of two": async () => {
          const { browser } = await joined();
          await browser.call("accounts.changePassword", { body: { password } });
          const params = { sign_in_provider_id: "work" };
          return [async () => await browser.ask("accounts.removeIdentity", { params }), ["identity-removed"]];
        },
      },
      "accounts.startPasskeySignIn": {
        "a guest": async () => {
          const browser = openBrowser(url());
          return [async () => await browser.post("accounts.startPasskeySignIn", {}), []];
        },
      },
      "accounts.passkeySignIn": {
        "a person": async () => {
          const { authenticator } = await withPasskey();
          const browser = openBrowser(url());
          const { text } = await browser.post("accounts.startPasskeySignIn", {});
          const { options } = JSON.parse(text) as ResponseOf<"accounts.startPasskey">;
          const credential = authenticator.get(options);
          return [async () => await browser.post("accounts.passkeySignIn", { credential }), ["signed-in"]];
        },
      },
      "accounts.startPasskeySignUp": {
        "with an invitation": async () => {
          const { link } = await made.owner.call("invitations.create", { body: { role: "member" } });
          const body = { name: "Ada", email: newEmail("new"), invitation: link.split("#")[1]! };
          return [async () => await openBrowser(url()).post("accounts.startPasskeySignUp", body), []];
        },
      },
      "accounts.startPasskey": {
        "a person": async () => {
          const browser = await join(made.owner, { email: newEmail("key"), browser: openBrowser(url()) });
          return [async () => await browser.ask("accounts.startPasskey"), []];
        },
      },
      "accounts.addPasskey": {
        "a person": async () => {
          const browser = await join(made.owner, { email: newEmail("key"), browser: openBrowser(url()) });
          const { options } = await browser.call("accounts.startPasskey");
          const body = { name: "Phone", credential: createAuthenticator(url()).create(options) };
          return [async () => await browser.ask("accounts.addPasskey", { body }), ["passkey-added"]];
        },
      },
      "accounts.removePasskey": {
        "a person": async () => {
          const { browser, params } = await withPasskey();
          return [async () => await browser.ask("accounts.removePasskey", { params }), ["passkey-removed"]];
        },
      },
      "accounts.proxySignIn": {
        "somebody known": async () => {
          const { email } = await withProxyIdentity();
          return [async () => await proxied(email).post("accounts.proxySignIn", {}), ["signed-in"]];
        },
        "somebody new": async () => {
          await withProxyIdentity();
          const browser = proxied(newEmail("new"));
          return [async () => await browser.post("accounts.proxySignIn", {}), ["account-created"]];
        },
      },
      "accounts.removeProxyIdentity": {
        "a person": async () => {
          const { browser } = await withProxyIdentity();
          await browser.ask("accounts.changePassword", { body: { password } });
          return [async () => await browser.ask("accounts.removeProxyIdentity"), ["identity-removed"]];
        },
      },
      "people.removeProxyIdentity": {
        "an administrator": async () => {
          const { params } = await withProxyIdentity();
          return [
            async () => await made.owner.ask("people.removeProxyIdentity", { params }),
            ["identity-removed"],
          ];
        },
      },
      "accounts.addSecondFactor": {
        "a person": async () => {
          const ada = await newPerson();
          const { secret, setup } = await ada.call("accounts.startSecondFactor");
          const body = { setup, code: codeOf(secret) };
          return [async () => await ada.ask("accounts.addSecondFactor", { body }), ["second-factor-added"]];
        },
      },
      "accounts.renewRecoveryCodes": {
        "a person": async () => {
          const ada = await newPerson();
          await setUp(ada);
          return [async () => await ada.ask("accounts.renewRecoveryCodes"), ["recovery-codes-created"]];
        },
      },
      "accounts.removeSecondFactor": {
        "a person": async () => {
          const ada = await newPerson();
          await setUp(ada);
          return [async () => await ada.ask("accounts.removeSecondFactor"), ["second-factor-removed"]];
        },
      },
      "people.resetSecondFactor": {
        "an administrator": async () => {
          const ada = await newPerson();
          await setUp(ada);
          const params = { person_id: (await ada.call("auth.me")).user_id };
          await made.owner.call("accounts.confirm", { body: { password } });
          return [
            async () => await made.owner.ask("people.resetSecondFactor", { params }),
            ["second-factor-reset"],
          ];
        },
      },
      "accounts.finishProvider": {
        "somebody known": async () => {
          const { login } = await joined();
          const browser = openBrowser(server().url);
          const { url: there, flow } = await begin(browser);
          const back = await providers.work.signIn(there, login);
          return [async () => await finish(browser, flow, back.search), ["signed-in"]];
        },
        "somebody who connects": async () => {
          const browser = await newPerson();
          const { login } = person("work");
          const { url: there, flow } = await begin(browser, { connect: true });
          const back = await providers.work.signIn(there, login);
          return [async () => await finish(browser, flow, back.search), ["identity-connected"]];
        },
      },
      "toolServers.startSignIn": {
        "a person": async () => {
          const { params } = await withToolServer();
          return [async () => await made.owner.ask("toolServers.startSignIn", { params }), []];
        },
      },
      "toolServers.finishSignIn": {
        "a person": async () => {
          const body = await (await withToolServer()).begin();
          return [
            async () => await made.owner.ask("toolServers.finishSignIn", { body }),
            ["tool-server-signed-in"],
          ];
        },
      },
      "toolServers.signOut": {
        "somebody who was signed in": async () => {
          const { params, begin } = await withToolServer();
          await made.owner.call("toolServers.finishSignIn", { body: await begin() });
          return [
            async () => await made.owner.ask("toolServers.signOut", { params }),
            ["tool-server-signed-out"],
          ];
        },
        "somebody who was not": async () => {
          const { params } = await withToolServer();
          return [async () => await made.owner.ask("toolServers.signOut", { params }), []];
        },
      },
      "providers.pull": {
        "a model": async () => {
          const request = await withOllama();
          return [async () => await made.owner.ask("providers.pull", request), ["model-downloaded"]];
        },
      },
      "providers.removeModel": {
        "a model": async () => {
          const request = await withOllama();
          return [async () => await made.owner.ask("providers.removeModel", request), ["model-deleted"]];
        },
      },
      "prompts.put": {
        "one's own": async () => {
          const ada = await newPerson();
          const { params, body } = await withPrompt(ada, false);
          return [async () => await ada.ask("prompts.put", { params, body }), []];
        },
        "share it": async () => {
          const { params, body } = await withPrompt(made.owner, false);
          const shared = { ...body, is_shared: true };
          return [
            async () => await made.owner.ask("prompts.put", { params, body: shared }),
            ["prompt-shared"],
          ];
        },
        "a shared one": async () => {
          const { params, body } = await withPrompt(made.owner, true);
          return [
            async () => await made.owner.ask("prompts.put", { params, body }),
            ["shared-prompt-changed"],
          ];
        },
        "end the sharing": async () => {
          const { params, body } = await withPrompt(made.owner, true);
          const own = { ...body, is_shared: false };
          return [
            async () => await made.owner.ask("prompts.put", { params, body: own }),
            ["shared-prompt-removed"],
          ];
        },
      },
      "prompts.remove": {
        "one's own": async () => {
          const ada = await newPerson();
          const { params } = await withPrompt(ada, false);
          return [async () => await ada.ask("prompts.remove", { params }), []];
        },
        "a shared one": async () => {
          const { params } = await withPrompt(made.owner, true);
          return [async () => await made.owner.ask("prompts.remove", { params }), ["shared-prompt-removed"]];
        },
      },
      "toolRules.putForAll": {
        "a rule": async () => {
          const body = { source: "built-in", tool: "date", rule: "ask" } as const;
          return [async () => await made.owner.ask("toolRules.putForAll", { body }), ["tool-rule-set"]];
        },
        "no rule any more": async () => {
          const body = { source: "built-in", tool: "calculate", rule: null };
          await made.owner.call("toolRules.putForAll", { body: { ...body, rule: "ask" } });
          return [async () => await made.owner.ask("toolRules.putForAll", { body }), ["tool-rule-removed"]];
        },
      },
      "auth.endSession": {
        "of a person": async () => {
          const email = newEmail("ada");
          const ada = await join(made.owner, { email });
          await signIn(server().url, email);
          const { sessions } = await ada.call("auth.sessions");
          const params = { session_id: sessions.find(({ is_current: isCurrent }) => !isCurrent)!.id };
          return [async () => await ada.ask("auth.endSession", { params }), ["own-sessions-ended"]];
        },
        "of a guest": async () => {
          const browser = await guest();
          const { sessions } = await browser.call("auth.sessions");
          const params = { session_id: sessions[0]!.id };
          return [async () => await browser.ask("auth.endSession", { params }), []];
        },
      },
      "auth.endOtherSessions": {
        "of a person": async () => {
          const email = newEmail("ada");
          const ada = await join(made.owner, { email });
          await signIn(server().url, email);
          return [async () => await ada.ask("auth.endOtherSessions"), ["own-sessions-ended"]];
        },
        "of a person without others": async () => {
          const ada = await newPerson();
          return [async () => await ada.ask("auth.endOtherSessions"), []];
        },
      },
      "erasure.everything": {
        "of a person": async () => {
          const ada = await newPerson();
          return [async () => await ada.ask("erasure.everything"), ["content-erased"]];
        },
        "of a guest": async () => {
          const browser = await guest();
          return [async () => await browser.ask("erasure.everything"), []];
        },
      },
    },
    () => server().place,
  );

  test("has no key, password or secret", async () => {
    const { owner } = made;
    const secrets = ["sk-a-very-secret-key", "sk-another-secret-key", "a-client-secret"];
    const { provider } = await owner.call("providers.create", {
      body: {
        kind: "openai-compatible",
        name: "Secretive",
        base_url: "http://127.0.0.1:1/v1",
        api_key: secrets[0]!,
      },
    });
    await owner.call("providers.update", {
      params: { provider_id: provider.id },
      body: { version: provider.version, api_key: secrets[1]! },
    });
    await owner.call("providers.remove", { params: { provider_id: provider.id } });
    await owner.call("signInProviders.create", {
      body: {
        kind: "github",
        name: "GitHub",
        issuer: "https://github.com",
        client_id: "x",
        client_secret: secrets[2]!,
        email_domains: [],
        trusts_email: false,
        admits_everyone: false,
      },
    });
    secrets.push((await owner.call("keys.create", { body: { name: "Editor" } })).secret);
    const { app_id } = await owner.call("console.createApp", { body: { name: newEmail("shop") } });
    const app = await owner.call("console.createKey", { params: { app_id }, body: { name: "App" } });
    secrets.push(app.key, password);
    const text = JSON.stringify(
      await rawSql(server().place, async (run) => await run("select * from audit_entries")),
    );
    for (const secret of secrets) expect(text).not.toContain(secret);
    const { entries } = await owner.call("audit.list", { query: { person: provider.id } });
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ["provider-removed", { name: "Secretive", kind: "openai-compatible" }],
      ["provider-changed", { name: "Secretive", host: "127.0.0.1:1", fields: ["api_key"] }],
      ["provider-added", { name: "Secretive", host: "127.0.0.1:1", kind: "openai-compatible" }],
    ]);
  });
});

describeServer(
  "the audit log and e-mail",
  { settings: { PUBLIC_URL: "http://chat.example.com" } },
  (server) => {
    let owner: Browser;
    let mails: MailServer;
    beforeAll(async () => {
      owner = await createOwner(server());
      mails = await startMailServer();
    });
    afterAll(async () => await mails.close());
    const put = async () =>
      await owner.ask("mail.put", {
        body: {
          host: "127.0.0.1",
          port: mails.port,
          security: "none",
          username: null,
          sender: "chat@example.com",
        },
      });
    const putSearch = async () =>
      await owner.ask("webSearch.put", { body: { service: "searxng", address: "http://127.0.0.1:1" } });

    testFlows(
      {
        "webSearch.put": { settings: async () => [putSearch, ["web-search-changed"]] },
        "webSearch.test": {
          "a search": async () => {
            await putSearch();
            return [async () => await owner.ask("webSearch.test", { body: { query: "roses" } }), []];
          },
        },
        "webSearch.remove": {
          settings: async () => {
            await putSearch();
            return [async () => await owner.ask("webSearch.remove"), ["web-search-changed"]];
          },
        },
        "mail.put": { settings: async () => [put, ["mail-settings-changed"]] },
        "mail.test": {
          "a message": async () => {
            await put();
            return [async () => await owner.ask("mail.test", { body: { language: "en" } }), []];
          },
        },
        "mail.remove": {
          settings: async () => {
            await put();
            return [async () => await owner.ask("mail.remove"), ["mail-settings-changed"]];
          },
        },
        "accounts.requestReset": {
          "for a person": async () => {
            await put();
            const email = newEmail("ada");
            await join(owner, { email });
            const request = { email, language: "en" } as const;
            return [
              async () => {
                const answer = await openBrowser(server().url).post("accounts.requestReset", request);
                await mails.take(email);
                return answer;
              },
              ["reset-link-created"],
            ];
          },
          "for nobody": async () => {
            await put();
            const request = { email: "nobody@example.com", language: "en" } as const;
            return [async () => await openBrowser(server().url).post("accounts.requestReset", request), []];
          },
        },
      },
      () => server().place,
    );
  },
);

describeServer("the audit log and the owner's link", {}, (server) => {
  testFlows(
    {
      "auth.openSession": {
        "with the owner's link": async () => {
          const owner_secret = server().ownerLink.split("#")[1]!;
          return [
            async () => await openBrowser(server().url).post("auth.openSession", { owner_secret }),
            ["signed-in"],
          ];
        },
        "as a guest": async () => [
          async () => await openBrowser(server().url).post("auth.openSession", {}),
          [],
        ],
      },
    },
    () => server().place,
  );
});

describe.skipIf(slapdMissing !== undefined)(`directories (${slapdMissing ?? "slapd"})`, () => {
  let slapd: Slapd;
  beforeAll(async () => void (slapd = await startSlapd()));
  afterAll(async () => await slapd?.close());
  describeServer("the audit log and directories", providerServer, (server) => {
    testFlows(
      {
        "accounts.directorySignIn": {
          "somebody new": async () => {
            const owner = await createOwner(server());
            const { id } = await owner.call("signInProviders.create", {
              body: {
                kind: "ldap",
                name: "Directory",
                issuer: slapd.url,
                client_id: "",
                client_secret: bindPassword,
                email_domains: [],
                trusts_email: true,
                admits_everyone: true,
                directory: {
                  start_tls: false,
                  bind_dn: bindDn,
                  base_dn: `ou=people,${base}`,
                  user_filter: "(uid={username})",
                  id_attribute: null,
                  name_attribute: "cn",
                  email_attribute: "mail",
                  group_base_dn: null,
                  group_filter: null,
                },
              },
            });
            const username = `audit${server().port}`;
            await slapd.addPerson(username);
            const body = { username, password: `${username} password` };
            const request = async () =>
              await openBrowser(server().url).post("accounts.directorySignIn", body, { provider: id });
            return [request, ["account-created"]];
          },
        },
      },
      () => server().place,
    );
  });
});

/** Entries that no request and no command writes. */
const ofFailures: AuditAction[] = ["sign-ins-slowed", "webhook-switched-off"];

const noRestart: Restoration = { progress: undefined, restart: () => void (noRestart.progress = undefined) };

describeServer("the audit log and backups", { restoration: noRestart }, (server) => {
  let owner: Browser;
  let folder: string;
  beforeAll(async () => {
    owner = await createOwner(server());
    folder = await newFolder();
  });
  afterAll(async () => await rm(folder, { recursive: true }));
  const target = () => ({ folder, bucket: null });
  const put = async () => await owner.ask("backups.put", { body: inFolder(folder) });
  const backUp = async () => {
    await put();
    await backUpNow(owner);
    return (await owner.call("backups.list")).backups[0]!.name;
  };

  testFlows(
    {
      "backups.put": { settings: async () => [put, ["backup-settings-changed"]] },
      "backups.start": {
        "a backup": async () => {
          await put();
          const start = async () => {
            const answer = await owner.ask("backups.start");
            await expect
              .poll(async () => (await owner.call("backups.get")).last_success, { timeout: 30_000 })
              .not.toBeNull();
            return answer;
          };
          return [start, ["backup-made"]];
        },
      },
      "restores.list": {
        "a folder": async () =>
          await Promise.resolve([
            async () => await owner.ask("restores.list", { body: { target: target() } }),
            [],
          ]),
      },
      "restores.start": {
        "a backup": async () => {
          const name = await backUp();
          const body = { target: target(), name, passphrase };
          return [async () => await owner.ask("restores.start", { body }), []];
        },
      },
      "backups.remove": {
        settings: async () => {
          await put();
          return [async () => await owner.ask("backups.remove"), ["backup-settings-changed"]];
        },
      },
    },
    () => server().place,
  );
});

test("every changing endpoint says which entry it writes, and succeeds here or as an example of the reference", () => {
  const endpoints = Object.entries(api) as [EndpointName, Endpoint][];
  const here = endpoints.filter(
    ([name, { audit }]) =>
      audit !== undefined && (name in otherStatus || (typeof audit === "object" && "when" in audit)),
  );
  const missing = here.map(([name]) => name).filter((name) => !covered.has(name));
  // It is not implemented.
  expect(missing.filter((name) => otherStatus[name] !== 501)).toEqual([]);
});

test("every action is of an endpoint or of a command", () => {
  const rules = [
    ...Object.values(api as Record<string, Endpoint>).map(({ audit }) => audit ?? []),
    ...commands.map(({ audit }) => audit),
    ...Object.values(groups).flatMap((group) => group.commands.map(({ audit }) => audit)),
  ];
  expect(new Set([...rules.flatMap(actionsOf), ...ofFailures])).toEqual(new Set(auditActions));
});
