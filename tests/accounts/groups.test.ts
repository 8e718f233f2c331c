import { beforeAll, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { OpenIdPerson } from "#fixtures/openid-provider/openid-provider.ts";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { describeProviders, providerServer } from "../support/clients/provider-sign-in.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("groups that administrators make", {}, (server) => {
  let owner: Browser;
  let admin: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    admin = await join(owner, { email: "admin@example.com", role: "admin" });
  });

  test("have a name that no other group has, whatever its case", async () => {
    const { id: group_id } = await admin.call("groups.create", { body: { name: " Gardeners " } });
    expect(await admin.call("groups.get", { params: { group_id } })).toEqual({
      id: group_id,
      name: "Gardeners",
      people: 0,
      claim: null,
      rights: { models: [], assistants: [], tools: [], permissions: [] },
    });
    await admin.fails("group-exists", "groups.create", { body: { name: "gardeners" } });
    const { id: other } = await admin.call("groups.create", { body: { name: "Bakers" } });
    await admin.fails("group-exists", "groups.update", {
      params: { group_id: other },
      body: { name: "GARDENERS" },
    });
    const renamed = await admin.call("groups.update", { params: { group_id }, body: { name: "Growers" } });
    expect(renamed.name).toBe("Growers");
    await admin.call("groups.remove", { params: { group_id } });
    await admin.fails("group-not-found", "groups.get", { params: { group_id } });
  });

  test("are found by name, page by page", async () => {
    for (const name of ["Team C", "Team A", "Team B", "100%"])
      await admin.call("groups.create", { body: { name } });
    const first = await admin.call("groups.list", { query: { search: "team", limit: "2" } });
    expect(first.groups.map(({ name }) => name)).toEqual(["Team A", "Team B"]);
    const second = await admin.call("groups.list", {
      query: { search: "team", limit: "2", after: first.next! },
    });
    expect(second).toMatchObject({ groups: [{ name: "Team C" }], next: null });
    expect((await admin.call("groups.list", { query: { search: "%" } })).groups).toHaveLength(1);
    await admin.fails("bad-cursor", "groups.list", { query: { after: "nothing" } });
  });

  test("have members, who are found by name and address, and leave with their account", async () => {
    const { id: group_id } = await admin.call("groups.create", { body: { name: "Choir" } });
    const ids: string[] = [];
    for (const name of ["zoe", "yan", "xia"]) {
      const browser = await join(owner, { email: `${name}@example.com` });
      ids.push((await browser.call("auth.me")).user_id);
    }
    for (const person_id of [...ids, ids[0]!])
      await admin.call("groups.addMember", { params: { group_id, person_id } });
    const params = { group_id };
    const first = await admin.call("groups.members", { params, query: { limit: "2" } });
    expect(first.members.map(({ name }) => name)).toEqual(["xia", "yan"]);
    const rest = await admin.call("groups.members", { params, query: { after: first.next! } });
    expect(rest).toMatchObject({ members: [{ email: "zoe@example.com" }], next: null });
    const { id: second } = await admin.call("groups.create", { body: { name: "band" } });
    await admin.call("groups.addMember", { params: { group_id: second, person_id: ids[2]! } });
    const listed = (await admin.call("people.list", { query: { search: "@example.com" } })).people;
    expect(listed.find(({ id }) => id === ids[1])!.groups).toEqual(["Choir"]);
    expect(listed.find(({ id }) => id === ids[2])!.groups).toEqual(["band", "Choir"]);
    await admin.call("groups.remove", { params: { group_id: second } });
    const inGroup = async (query: Record<string, string>) =>
      (await admin.call("people.list", { query })).people.map(({ name }) => name);
    expect(new Set(await inGroup({ group: group_id }))).toEqual(new Set(["xia", "yan", "zoe"]));
    expect(await inGroup({ group: group_id, search: "yan" })).toEqual(["yan"]);
    expect(await inGroup({ group: "nothing" })).toEqual([]);
    const found = await admin.call("groups.members", { params, query: { search: "YAN@" } });
    expect(found.members.map(({ id }) => id)).toEqual([ids[1]]);
    expect(await admin.call("groups.get", { params })).toMatchObject({ people: 3 });

    await admin.call("groups.removeMember", { params: { group_id, person_id: ids[1]! } });
    await admin.call("people.remove", { params: { person_id: ids[0]! } });
    const left = await admin.call("groups.members", { params });
    expect(left.members.map(({ id }) => id)).toEqual([ids[2]]);
    const guest = await server().anonymous();
    const { user_id: guestId } = await guest.call("auth.me");
    for (const person_id of [guestId, "nobody"])
      await admin.fails("person-not-found", "groups.addMember", { params: { group_id, person_id } });
  });

  test("and every change of them are in the audit log", async () => {
    const { entries } = await admin.call("audit.list", { query: { limit: "200" } });
    const actions = new Set(entries.map(({ action }) => action));
    for (const action of ["created", "changed", "removed", "member-added", "member-removed"])
      expect(actions).toContain(`group-${action}`);
  });
});

describeServer("groups that a claim of an OpenID provider feeds", providerServer, (server) => {
  const { providers, made, addProvider, person, signInWith, invite } = describeProviders(server);
  const params = (group_id: string) => ({ params: { group_id } });
  const namesOf = async (group_id: string) =>
    (await made.owner.call("groups.members", params(group_id))).members.map(({ name }) => name);

  test("follow the claim at every sign-in, and leave all other groups alone", async () => {
    await made.owner.call("signInProviders.update", {
      params: { sign_in_provider_id: "work" },
      body: { groups_claim: "groups" },
    });
    const group = async (name: string, value?: string, provider_id = "work") =>
      (
        await made.owner.call("groups.create", {
          body: { name, ...(value === undefined ? {} : { claim: { provider_id, value } }) },
        })
      ).id;
    const engineers = await group("Engineers", "eng");
    const writers = await group("Writers", "docs");
    const elsewhere = await group("Elsewhere", "eng", "home");
    const byHand = await group("By hand");

    const who = person("work", { name: "Ada", groups: ["eng", "unknown"] });
    const { browser } = await signInWith(who.login, { invitation: await invite() });
    const { user_id: person_id } = await browser.call("auth.me");
    await made.owner.call("groups.addMember", { params: { group_id: byHand, person_id } });
    expect(await namesOf(engineers)).toEqual(["Ada"]);
    expect([await namesOf(writers), await namesOf(elsewhere)]).toEqual([[], []]);

    const facts = providers.work.people.get(who.login)!;
    providers.work.people.set(who.login, { ...facts, groups: ["docs"] });
    await signInWith(who.login);
    expect([await namesOf(engineers), await namesOf(writers)]).toEqual([[], ["Ada"]]);
    expect(await namesOf(byHand)).toEqual(["Ada"]);

    // A provider that names no groups any more takes them away.
    const { groups: _, ...none } = facts;
    providers.work.people.set(who.login, none);
    await signInWith(who.login);
    expect([await namesOf(engineers), await namesOf(writers)]).toEqual([[], []]);
    expect(await namesOf(byHand)).toEqual(["Ada"]);

    await made.owner.fails("group-has-claim", "groups.addMember", {
      params: { group_id: engineers, person_id },
    });
    await made.owner.fails("sign-in-provider-not-found", "groups.update", {
      ...params(byHand),
      body: { claim: { provider_id: "nobody", value: "x" } },
    });
  });

  /** Somebody who signed in with the provider, in a group that its claim feeds. */
  async function inClaimedGroup(id: string = "work", at: "work" | "home" = id === "home" ? "home" : "work") {
    await made.owner.call("signInProviders.update", {
      params: { sign_in_provider_id: id },
      body: { groups_claim: "groups" },
    });
    const value = newId("group");
    const body = { name: value, claim: { provider_id: id, value } };
    const { id: group_id } = await made.owner.call("groups.create", { body });
    const who = person(at, { groups: [value] });
    const { browser } = await signInWith(who.login, { at, id, invitation: await invite() });
    const { user_id: person_id } = await browser.call("auth.me");
    expect(await namesOf(group_id)).toHaveLength(1);
    return { ...who, browser, group_id, person_id, value };
  }

  test("follow a claim inside another, such as the roles of a Keycloak realm", async () => {
    await made.owner.call("signInProviders.update", {
      params: { sign_in_provider_id: "work" },
      body: { groups_claim: "realm_access.roles" },
    });
    const body = { name: "Realm admins", claim: { provider_id: "work", value: "realm-admin" } };
    const { id } = await made.owner.call("groups.create", { body });
    const who = person("work", { name: "Kay", realm_access: { roles: ["offline_access", "realm-admin"] } });
    await signInWith(who.login, { invitation: await invite() });
    expect(await namesOf(id)).toEqual(["Kay"]);
  });

  test("lose those who disconnect the provider, also in their open pages", async () => {
    const { browser, group_id } = await inClaimedGroup();
    const { thread_id } = await made.owner.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    await made.owner.call("threadMembers.put", {
      params: { thread_id, member_id: group_id },
      body: { access: "read" },
    });
    const feed = await browser.live();
    await feed.until(({ data }) => data.type === "hello");
    await browser.call("accounts.changePassword", { body: { password: "correct horse battery" } });
    await browser.call("accounts.removeIdentity", { params: { sign_in_provider_id: "work" } });
    expect(await namesOf(group_id)).toEqual([]);
    await feed.until(({ data }) => {
      const written = JSON.stringify(data);
      return written.includes("thread-gone") && written.includes(thread_id);
    });
    feed.close();
  });

  test("lose everyone when the provider has another issuer, or is removed", async () => {
    const moved = await addProvider("home", "Moved");
    const first = await inClaimedGroup(moved, "home");
    await made.owner.call("signInProviders.update", {
      params: { sign_in_provider_id: moved },
      body: { issuer: providers.work.issuer, client_secret: "another-secret" },
    });
    expect(await namesOf(first.group_id)).toEqual([]);

    const removed = await addProvider("work", "Removed");
    const second = await inClaimedGroup(removed);
    await made.owner.call("signInProviders.remove", { params: { sign_in_provider_id: removed } });
    expect(await namesOf(second.group_id)).toEqual([]);
    expect(await made.owner.call("groups.get", params(second.group_id))).toMatchObject({ claim: null });
  });

  test("lose a person that an administrator removes, until the provider names them again", async () => {
    const { group_id, person_id, login } = await inClaimedGroup();
    await made.owner.call("groups.removeMember", { params: { group_id, person_id } });
    expect(await namesOf(group_id)).toEqual([]);
    await signInWith(login);
    expect(await namesOf(group_id)).toHaveLength(1);
  });

  test("start empty with another claim, and keep their people with the same one or without one", async () => {
    const { group_id, value } = await inClaimedGroup();
    const update = async (claim: { provider_id: string; value: string } | null) => {
      await made.owner.call("groups.update", { ...params(group_id), body: { name: value, claim } });
      return (await namesOf(group_id)).length;
    };
    expect(await update({ provider_id: "work", value })).toBe(1);
    expect(await update(null)).toBe(1);
    expect(await update({ provider_id: "work", value })).toBe(0);
    const next = await inClaimedGroup();
    const another = { provider_id: "work", value: `${next.value}-leads` };
    await made.owner.call("groups.update", {
      ...params(next.group_id),
      body: { name: "Leads", claim: another },
    });
    expect(await namesOf(next.group_id)).toEqual([]);
    const { entries } = await made.owner.call("audit.list", { query: { limit: "1" } });
    expect(entries[0]).toMatchObject({
      action: "group-changed",
      target: next.group_id,
      details: { name: next.value, new_name: "Leads", claim: another },
    });
  });

  test("stay as they were when the provider does not say which groups somebody is in", async () => {
    const { group_id, login } = await inClaimedGroup("home");
    const { groups: _, ...facts } = providers.home.people.get(login)!;
    const isStillIn = async (now: OpenIdPerson) => {
      providers.home.people.set(login, { ...facts, ...now });
      const { answer } = await signInWith(login, { at: "home" });
      expect(answer.status, answer.text).toBe(200);
      return (await namesOf(group_id)).length === 1;
    };
    // Microsoft's answer for somebody in more than 200 groups.
    expect(await isStillIn({ _claim_names: { groups: "src1" } })).toBe(true);
    // The address is in the ID token, so the sign-in does not depend on the userinfo endpoint.
    expect(await isStillIn({ userInfo: "fails" })).toBe(true);
    expect(await isStillIn({})).toBe(false);
  });

  test("change nothing about which address counts as verified", async () => {
    await inClaimedGroup("home");
    const who = person("home", { userInfo: { email: "other@corp.example" } });
    const { browser } = await signInWith(who.login, { at: "home", invitation: await invite() });
    expect((await browser.call("auth.me")).email).toBe(who.email);
  });
});
