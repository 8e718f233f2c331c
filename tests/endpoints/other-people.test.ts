import { beforeAll, expect, test } from "vitest";
import { api, type EndpointName } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { createAuthenticator } from "#fixtures/passkeys/authenticator.ts";
import {
  createOwner,
  join,
  openBrowser,
  password,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";
import { askAs } from "./ask-endpoint.ts";
import { ownNounOf, ownNouns, putExample } from "./own-nouns.ts";

/** What people have besides threads, files and the nouns of `ownNouns`, by the parameter in the paths of its endpoints. */
type Own = Record<"share_id" | "key_id" | "session_id" | "passkey_id", string>;

const params = ["share_id", "key_id", "session_id", "passkey_id", ...ownNouns.map(({ param }) => param)];
const lists = ["shares.list", "keys.list", "auth.sessions", "accounts.methods"] as const;
const allLists: EndpointName[] = [...lists, ...ownNouns.map(({ list }) => list)];

/** Parameters that name something else. */
const elsewhere = {
  "of a thread or a file, see visitors.test.ts":
    "thread_id message_id run_id queued_id lease_id summary_id comparison_id file_id file_secret page_id",
  "of everybody or of a person, see tests/tool-servers": "tool_server_id",
  "of the server, see roles.test.ts":
    "alert_rule_id app_id assistant_id budget_id delivery_id group_id invitation_id jwt_rule_id member_id person_id provider_id sign_in_provider_id user_id webhook_id",
  "a name that everybody knows": "provider tool_name picture_id",
};

const names = Object.keys(api) as EndpointName[];
const paramsOf = (name: EndpointName) =>
  [...api[name].path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!);
const endpoints = names.filter(
  (name) => paramsOf(name).some((param) => params.includes(param)) && !name.startsWith("console."),
);

test("what an endpoint's path names is tested here or is nothing that a person has", () => {
  const known = [...params, ...Object.values(elsewhere).flatMap((some) => some.split(" "))];
  expect([...new Set(names.flatMap(paramsOf))].toSorted()).toEqual(known.toSorted());
});

describeServer("what a person has", { model: true }, (server) => {
  let ada: Browser;
  let mine: Own & Record<string, string>;
  let others: Record<"another member" | "an administrator" | "the owner", Browser>;
  beforeAll(async () => {
    const url = server().url.replace("127.0.0.1", "localhost");
    const owner = await createOwner(server());
    ada = await join(owner, { email: "ada@example.com", browser: openBrowser(url) });
    others = {
      "another member": await join(owner, { email: "eve@example.com" }),
      "an administrator": await join(owner, { email: "admin@example.com", role: "admin" }),
      "the owner": owner,
    };
    for (const who of Object.values(others)) await who.call("accounts.confirm", { body: { password } });

    const thread_id = newId("thread");
    const content = { role: "user" as const, content: [{ type: "text" as const, text: "Mine" }] };
    const { run_id } = await ada.call("runs.start", {
      params: { thread_id },
      body: { message: { parent_id: null, content } },
    });
    await (await ada.events(run_id)).until(({ data }) => data.type === "run-end");
    const { options } = await ada.call("accounts.startPasskey");
    const credential = createAuthenticator(url).create(options);
    const passkey = await ada.call("accounts.addPasskey", { body: { name: "Phone", credential } });
    await signIn(server().url, "ada@example.com");
    const { sessions } = await ada.call("auth.sessions");
    mine = {
      share_id: (await ada.call("shares.create", { body: { thread_id } })).id,
      key_id: (await ada.call("keys.create", { body: { name: "Editor" } })).key.id,
      session_id: sessions.find(({ is_current: isCurrent }) => !isCurrent)!.id,
      passkey_id: passkey.id,
    };
    for (const noun of ownNouns) mine[noun.param] = await putExample(ada, noun);
  });

  const stateOf = async () => {
    const answers = await Promise.all(allLists.map(async (name) => await askAs(ada, name, {})));
    for (const { status } of answers) expect(status).toBe(200);
    // When a session was used last changes with each request.
    return answers.map(({ text }) => text.replaceAll(/"last_used_at":"[^"]*"/g, ""));
  };

  test("is in nobody else's lists", async () => {
    for (const [title, who] of Object.entries(others)) {
      const lists = await Promise.all(allLists.map(async (name) => await askAs(who, name, {})));
      for (const { status } of lists) expect(status, title).toBe(200);
      for (const id of Object.values(mine))
        for (const { text } of lists) expect(text, title).not.toContain(id);
    }
  });

  test.for(endpoints)("cannot be changed by anybody else with its id: %s", async (name) => {
    const before = await stateOf();
    const own = paramsOf(name);
    expect(own).toHaveLength(1);
    const code = `${own[0]!.replace("_id", "")}-not-found`;
    for (const [title, who] of Object.entries(others)) {
      const answer = await askAs(who, name, mine as object);
      // A put with a new id creates, in the other person's own list.
      if (answer.status === 200) expect(ownNounOf(name), title).toBeDefined();
      else expect(expectProblem(answer), title).toMatch(new RegExp(`${code}$|^not-allowed$`));
      expect(await stateOf(), title).toEqual(before);
    }
  });
});
