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

/** What people have besides threads and files, by the parameter in the paths of its endpoints. */
type Own = Record<"share_id" | "key_id" | "session_id" | "passkey_id" | "label_id" | "prompt_id", string>;

const params = ["share_id", "key_id", "session_id", "passkey_id", "label_id", "prompt_id"] as const;
const endpoints = (Object.keys(api) as EndpointName[]).filter(
  (name) => params.some((param) => api[name].path.includes(`{${param}}`)) && !name.startsWith("console."),
);

describeServer("what a person has", { model: true }, (server) => {
  let ada: Browser;
  let mine: Own;
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
    const [label_id, prompt_id] = [newId("label"), newId("prompt")];
    await ada.call("labels.put", { params: { label_id }, body: { kind: "folder", name: "Mine" } });
    await ada.call("prompts.put", {
      params: { prompt_id },
      body: { title: "Mine", text: "Mine" },
    });
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
      label_id,
      prompt_id,
    };
  });

  const stateOf = async () =>
    JSON.stringify([
      (await ada.call("shares.list")).shares,
      (await ada.call("keys.list")).keys,
      (await ada.call("auth.sessions")).sessions.map(({ id }) => id),
      (await ada.call("accounts.methods")).passkeys,
      (await ada.call("labels.list")).labels,
      (await ada.call("prompts.list")).prompts,
    ]);

  test("is in nobody else's lists", async () => {
    for (const [title, who] of Object.entries(others)) {
      const lists = [
        await who.ask("shares.list"),
        await who.ask("keys.list"),
        await who.ask("auth.sessions"),
        await who.ask("accounts.methods"),
        await who.ask("labels.list"),
        await who.ask("prompts.list"),
      ];
      for (const id of Object.values(mine))
        for (const { text } of lists) expect(text, title).not.toContain(id);
    }
  });

  test.for(endpoints)("cannot be changed by anybody else with its id: %s", async (name) => {
    const before = await stateOf();
    const own = params.filter((param) => api[name].path.includes(`{${param}}`));
    expect(own).toHaveLength(1);
    const code = `${own[0]!.replace("_id", "")}-not-found`;
    for (const [title, who] of Object.entries(others)) {
      const answer = await askAs(who, name, mine as object);
      // A put with a new id creates, in the other person's own list.
      if (answer.status === 200) expect(name, title).toMatch(/^(labels|prompts)\.(put|remove)$/);
      else expect(expectProblem(answer), title).toMatch(new RegExp(`${code}$|^not-allowed$`));
      expect(await stateOf(), title).toBe(before);
    }
  });
});
