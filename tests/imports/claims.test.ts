import { beforeAll, expect, test } from "vitest";
import { openWebUiChat } from "../support/data/chat-products.ts";
import { webUiDatabase, type WebUi } from "../support/data/webui-db.ts";
import { join, openBrowser, openToEveryone, password, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeProviders, providerServer } from "../support/clients/provider-sign-in.ts";
import { importEveryone, importFile } from "../support/clients/transfer.ts";
import { describeServer } from "../support/servers/server.ts";

const titles = async (who: Browser) =>
  (await who.call("threads.list", { query: { is_archived: true } })).threads
    .map(({ title }) => title ?? "")
    .toSorted((a, b) => a.localeCompare(b));

describeServer("claiming an import with a sign-in provider", providerServer, (server) => {
  const { made, person, signInWith, invite } = describeProviders(server);
  // Only the provider at work decides who gets an import.
  beforeAll(async () => {
    await openToEveryone(made.owner);
    await made.owner.call("signInProviders.update", {
      params: { sign_in_provider_id: "work" },
      body: { claims_imports: true },
    });
  });

  /** Imports somebody with this address and a chat. */
  async function imported(key: string, email: string) {
    const fill = (database: WebUi) => {
      database.person(key, "Ben", email);
      database.chat(key, key);
      database.insert("group", {
        id: `g-${key}`,
        name: `Group of ${key}`,
        permissions: "{}",
        user_ids: `["${key}"]`,
      });
    };
    const file = await webUiDatabase(fill);
    const { people } = await importEveryone(made.owner, file);
    return {
      file,
      link: people[0]!.link!,
      again: async () => (await importEveryone(made.owner, file)).people[0]!,
    };
  }

  const waiting = async () =>
    (await made.owner.call("preparedPeople.list")).people.map(({ email }) => email.toLowerCase());

  test("gives a verified address what is theirs, with an account, however it is written", async () => {
    const { link, again } = await imported("ben", "ben@corp.example");
    const { browser, answer } = await signInWith(person("work", { email: "Ben@Corp.example" }).login);
    expect(answer.body).toMatchObject({ status: "signed-in", me: { role: "member" } });
    expect(await titles(browser)).toEqual(["About ben"]);
    expect(await waiting()).not.toContain("ben@corp.example");
    const late = await openBrowser(server().url).post("accounts.signUp", {
      name: "Me",
      email: "late@corp.example",
      password,
      invitation: link.split("#")[1]!,
    });
    expectProblem(late, "invitation-invalid");
    expect(await again()).toMatchObject({ outcome: "existing", counts: { added: 0, unchanged: 1 } });
  });

  test("gives nothing to an address that is not verified, to another one, or by a provider that may not decide", async () => {
    await imported("cy", "cy@corp.example");
    const unverified = await signInWith(
      person("work", { email: "cy@corp.example", email_verified: false }).login,
    );
    expectProblem(unverified.answer, "email-not-verified");
    const atHome = await signInWith(person("home", { email: "cy@corp.example" }).login, { at: "home" });
    expectProblem(atHome.answer, "invitation-needed");
    const stranger = await signInWith(person("work", { email: "cyd@corp.example" }).login);
    expectProblem(stranger.answer, "invitation-needed");
    // With an account of their own they get no more.
    const withAccount = await signInWith(person("home", { email: "cy@corp.example" }).login, {
      at: "home",
      invitation: await invite(),
    });
    expect(await titles(withAccount.browser)).toEqual([]);
    expect(await waiting()).toContain("cy@corp.example");
  });

  test("keeps what a guest has, who signs in", async () => {
    await imported("fay", "fay@corp.example");
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession");
    await importFile(guest, JSON.stringify([openWebUiChat("own")]));
    const { answer } = await signInWith(person("work", { email: "fay@corp.example" }).login, {
      browser: guest,
    });
    expect(answer.body).toMatchObject({ status: "signed-in" });
    expect(await titles(guest)).toEqual(["About fay", "About own"]);
  });

  test("gives an existing account what is theirs once they have proved the address, and adds nothing twice", async () => {
    const dee = await join(made.owner, { email: "dee@corp.example" });
    const { again } = await imported("dee", "dee@corp.example");
    expect(await titles(dee)).toEqual([]);
    expect(await again()).toMatchObject({ outcome: "invited", is_address_unproved: true });
    const { answer } = await signInWith(person("work", { email: "dee@corp.example" }).login, {
      browser: dee,
      connect: true,
    });
    expect(answer.body).toMatchObject({ status: "connected" });
    expect(await titles(dee)).toEqual(["About dee"]);
    expect(await waiting()).not.toContain("dee@corp.example");
    const { people } = await made.owner.call("people.list", { query: { search: "dee@corp.example" } });
    expect(people[0]!.groups).toEqual(["Group of dee"]);
    expect(await again()).toMatchObject({ outcome: "existing", counts: { added: 0, unchanged: 1 } });
    expect(await titles(dee)).toEqual(["About dee"]);
  });
});
