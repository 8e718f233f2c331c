import { createServer } from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Attribute, Change } from "ldapts";
import { listenLocally } from "#fixtures/local-server.ts";
import type { BodyInputOf, ResponseOf } from "#contract/api.ts";
import type { DirectoryProblem } from "#contract/endpoints/directories.ts";
import { limits } from "#contract/limits.ts";
import { createOwner, join, openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { providerServer } from "../support/clients/provider-sign-in.ts";
import { base, bindDn, bindPassword, slapdMissing, startSlapd, type Slapd } from "../support/ldap/slapd.ts";
import { describeServer } from "../support/servers/server.ts";

type Directory = NonNullable<BodyInputOf<"signInProviders.create">["directory"]>;

const directory: Directory = {
  start_tls: false,
  bind_dn: bindDn,
  base_dn: `ou=people,${base}`,
  user_filter: "(&(objectClass=inetOrgPerson)(|(uid={username})(mail={username})))",
  id_attribute: null,
  name_attribute: "cn",
  email_attribute: "mail",
  group_base_dn: null,
  group_filter: null,
};

describe.skipIf(slapdMissing !== undefined)(`a directory${slapdMissing ? ` (${slapdMissing})` : ""}`, () => {
  let slapd: Slapd;
  beforeAll(async () => void (slapd = await startSlapd()));
  afterAll(async () => await slapd?.close());

  describeServer("signs people in", providerServer, (server, engine) => {
    let owner: Browser;
    let count = 0;
    beforeAll(async () => {
      owner = await createOwner(server());
      await add({ name: "work", groups_claim: "memberOf" });
    });

    const bodyOf = (more: Partial<BodyInputOf<"signInProviders.create">> = {}) => ({
      kind: "ldap" as const,
      name: "Directory",
      issuer: slapd.url,
      client_id: "",
      client_secret: bindPassword,
      email_domains: [],
      trusts_email: true,
      admits_everyone: true,
      directory,
      ...more,
    });
    const add = async (more: Partial<BodyInputOf<"signInProviders.create">> = {}) =>
      (await owner.call("signInProviders.create", { body: bodyOf(more) })).id;
    const newName = () => `${engine}${++count}`;

    async function signIn(
      username: string,
      given = `${username} password`,
      {
        id = "work",
        browser = openBrowser(server().url),
        ...more
      }: { id?: string; browser?: Browser; connect?: boolean; code?: string } = {},
    ) {
      const body = { username, password: given, ...more };
      const answer = await browser.post("accounts.directorySignIn", body, { provider: id });
      return { answer, browser, body: answer.body as unknown as ResponseOf<"accounts.directorySignIn"> };
    }

    test("by user name or address, as the same person after they are renamed there, and not once they are removed", async () => {
      const name = newName();
      const dn = await slapd.addPerson(name);
      const first = await signIn(name);
      expect(first.body).toMatchObject({
        status: "signed-in",
        me: { name: `Person ${name}`, email: `${name}@corp.example`, role: "member" },
      });
      const userId = first.body.me!.user_id;
      expect((await signIn(`${name}@corp.example`, `${name} password`)).body.me?.user_id).toBe(userId);
      await slapd.change(async (client) => {
        await client.modifyDN(dn, `uid=renamed-${name}`);
        await client.modify(`uid=renamed-${name},ou=people,${base}`, [
          new Change({
            operation: "replace",
            modification: new Attribute({ type: "mail", values: [`new-${name}@corp.example`] }),
          }),
        ]);
      });
      const renamed = await signIn(`renamed-${name}`, `${name} password`);
      expect(renamed.body.me?.user_id).toBe(userId);
      await slapd.change(async (client) => client.del(`uid=renamed-${name},ou=people,${base}`));
      expectProblem((await signIn(`renamed-${name}`, `${name} password`)).answer, "directory-refused");
      const { entries } = await owner.call("audit.list", { query: { person: userId } });
      expect(entries.at(-1)).toMatchObject({ action: "account-created" });
      expect(entries[0]).toMatchObject({
        action: "signed-in",
        details: { method: "directory", provider: "work" },
      });
    });

    test("with the same answer after the same time for unknown people and wrong passwords", async () => {
      const [name, other] = [newName(), newName()];
      await slapd.addPerson(name);
      await slapd.addPerson(other);
      const { promise: timePasses, resolve: passTime } = Promise.withResolvers<void>();
      const sleep = vi.spyOn(server().clock, "sleep").mockReturnValue(timePasses);
      const texts: string[] = [];
      const refusals = [name, `nobody-${name}`].map(async (who) => {
        const { answer } = await signIn(who, "wrong");
        texts.push(answer.text.replace(/req_\w+/, ""));
      });
      expect((await signIn(other)).body.status).toBe("signed-in");
      expect(texts).toEqual([]);
      sleep.mockRestore();
      passTime();
      await Promise.all(refusals);
      expect(texts[0]).toBe(texts[1]);
      expect(texts[0]).toContain("directory-refused");
    });

    test("never with an empty password, although the directory accepts one (CVE-2026-44551)", async () => {
      const name = newName();
      const dn = await slapd.addPerson(name);
      const { Client } = await import("ldapts");
      const client = new Client({ url: slapd.url });
      await client.bind(dn, "");
      await client.unbind();
      expectProblem((await signIn(name, "")).answer, "bad-request");
      expectProblem((await signIn(name, "\0")).answer, "directory-refused");
    });

    test("by nothing but an equal name: no character of it is part of the filter", async () => {
      const name = newName();
      await slapd.addPerson(name);
      const half = name.slice(0, -1);
      const hostile = [
        "*",
        `${half}*`,
        `${name})(uid=*`,
        `*)(objectClass=*`,
        `${name}))(|(uid=*`,
        String.raw`${half}\2a`,
        "{dn}",
        "{username}",
      ];
      const tries = await Promise.all(hostile.map(async (each) => await signIn(each, `${name} password`)));
      for (const { answer } of tries) expectProblem(answer, "directory-refused");
      expect((await signIn(name)).answer.status).toBe(200);
    });

    test("without a guess: attempts at one name wait longer and longer", async () => {
      const name = newName();
      await slapd.addPerson(name);
      const browser = openBrowser(server().url);
      const tries = await Promise.all(
        Array.from({ length: 12 }, async () => await signIn(name, "wrong", { browser })),
      );
      expect(tries.map(({ answer }) => answer.status)).toContain(429);
    });

    test("although strangers guess at their name in all its spellings, where people of the directory are", async () => {
      const name = newName();
      await slapd.addPerson(name);
      const { browser: home } = await signIn(name);
      const spellings = [name, name.toUpperCase(), `${name[0]}\u00AD${name.slice(1)}`, `${name}\u0301`];
      const guess = async (_: unknown, i: number) => await signIn(spellings[i % 4]!, "wrong");
      for (let i = 0; i < limits.passwordTriesPerAccount; i += 10)
        for (const { answer } of await Promise.all(Array.from({ length: 10 }, guess)))
          expectProblem(answer, "directory-refused");
      expectProblem((await signIn(name)).answer, "too-many-attempts");
      expect((await signIn(name, undefined, { browser: home })).body.status).toBe("signed-in");
    });

    test("but not with an id that cannot be stored", async () => {
      const id = await add({
        name: `long ids ${engine}`,
        directory: { ...directory, id_attribute: "initials" },
      });
      const name = newName();
      await slapd.addPerson(name, { initials: "i".repeat(256) });
      expectProblem((await signIn(name, undefined, { id })).answer, "sign-in-failed");
    });

    test("into the groups that it names, and out of those that it no longer does", async () => {
      const name = newName();
      const dn = await slapd.addPerson(name);
      await slapd.addGroup(`Staff ${name}`, [dn]);
      const claim = { provider_id: "work", value: `Staff ${name}` };
      const { id: group_id } = await owner.call("groups.create", { body: { name: claim.value, claim } });
      const byDn = { provider_id: "work", value: `cn=Staff ${name},ou=groups,${base}` };
      const { id: sameGroup } = await owner.call("groups.create", {
        body: { name: `DN ${name}`, claim: byDn },
      });
      await signIn(name);
      const people = async (id: string) =>
        (await owner.call("groups.get", { params: { group_id: id } })).people;
      expect([await people(group_id), await people(sameGroup)]).toEqual([1, 1]);
      await slapd.change(async (client) => client.del(`cn=Staff ${name},ou=groups,${base}`));
      await signIn(name);
      expect([await people(group_id), await people(sameGroup)]).toEqual([0, 0]);

      const searched = await add({
        name: `searched ${name}`,
        groups_claim: "cn",
        directory: { ...directory, group_base_dn: `ou=groups,${base}`, group_filter: "(member={dn})" },
      });
      await slapd.addGroup(`Found ${name}`, [dn]);
      const found = { provider_id: searched, value: `Found ${name}` };
      const { id: foundGroup } = await owner.call("groups.create", {
        body: { name: found.value, claim: found },
      });
      // Both directories have verified the address, so it is the same person.
      expect((await signIn(name, undefined, { id: searched })).body.status).toBe("signed-in");
      expect(await people(foundGroup)).toBe(1);
    });

    test("and follows no referral", async () => {
      const name = newName();
      await slapd.addPerson(name);
      let connections = 0;
      const elsewhere = createServer((socket) => {
        connections++;
        socket.destroy();
      });
      const { port, close } = await listenLocally(elsewhere);
      const dn = `ou=branch-${name},ou=people,${base}`;
      await slapd.change(async (client) =>
        client.add(dn, {
          objectClass: ["referral", "extensibleObject"],
          ou: `branch-${name}`,
          ref: `ldap://127.0.0.1:${port}/${dn}`,
        }),
      );
      expect((await signIn(name)).body.status).toBe("signed-in");
      expectProblem((await signIn(`nobody-${name}`)).answer, "directory-refused");
      expect(connections).toBe(0);
      await close();
    });

    test("as an account with the same address only if the directory’s addresses are verified, and never as an owner", async () => {
      const untrusted = await add({ name: `untrusted ${engine}`, trusts_email: false });
      const name = newName();
      await slapd.addPerson(name);
      expectProblem((await signIn(name, undefined, { id: untrusted })).answer, "email-not-verified");
      // Somebody entered this address without proving it.
      await join(owner, { email: `${name}@corp.example` });
      expectProblem((await signIn(name)).answer, "account-exists");
      const posing = newName();
      await slapd.addPerson(posing, { mail: "olga@example.com" });
      expectProblem((await signIn(posing)).answer, "account-exists");

      const member = openBrowser(server().url);
      await member.post("accounts.signIn", { email: `${name}@corp.example`, password });
      const connected = await signIn(name, undefined, { id: untrusted, browser: member, connect: true });
      expect(connected.body).toEqual({ status: "connected", me: null });
      const { user_id } = await member.call("auth.me");
      expect((await signIn(name, undefined, { id: untrusted })).body.me?.user_id).toBe(user_id);
      const guest = openBrowser(server().url);
      expectProblem(
        (await signIn(name, undefined, { browser: guest, connect: true })).answer,
        "not-signed-in",
      );
    });

    test("as nobody else after an administrator has changed who is found, or how people are identified", async () => {
      for (const change of [{ id_attribute: "sn" }, { user_filter: "(uid={username})" }, { base_dn: base }]) {
        const name = newName();
        await slapd.addPerson(name);
        const id = await add({ name: `changed ${engine}`, directory: { ...directory, id_attribute: "uid" } });
        const put = async (body: BodyInputOf<"signInProviders.update">) =>
          await owner.ask("signInProviders.update", { params: { sign_in_provider_id: id }, body });
        const peopleAt = async () =>
          (await owner.call("signInProviders.list")).providers.find((each) => each.id === id)!.people;
        expect((await signIn(name, undefined, { id })).body.status).toBe("signed-in");
        const same = { ...directory, id_attribute: "uid", name_attribute: "sn" };
        expect((await put({ name: "Renamed", directory: same })).status).toBe(200);
        expect(await peopleAt()).toBe(1);
        expect((await put({ directory: { ...same, ...change } })).status).toBe(200);
        expect(await peopleAt()).toBe(0);
        await owner.ask("signInProviders.remove", { params: { sign_in_provider_id: id } });
      }
    });

    test("as they are stored, when a provider is renamed while another administrator changes the directory", async () => {
      const id = await add({ name: `raced ${engine}` });
      const params = { sign_in_provider_id: id };
      const changed = { ...directory, name_attribute: "sn" };
      const answers = await Promise.all([
        owner.ask("signInProviders.update", { params, body: { directory: changed } }),
        ...Array.from(
          { length: 8 },
          async (_, i) =>
            await owner.ask("signInProviders.update", { params, body: { name: `Renamed ${i}` } }),
        ),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const stored = (await owner.call("signInProviders.list")).providers.find((each) => each.id === id)!;
      expect(stored.directory).toEqual(changed);
    });

    test("over StartTLS and TLS, with a certificate that the server trusts", async () => {
      const name = newName();
      await slapd.addPerson(name);
      const before = tls.getCACertificates("default");
      const encrypted = { ...directory, start_tls: true };
      await owner.fails("provider-not-usable", "signInProviders.create", {
        body: bodyOf({ issuer: slapd.tlsUrl }),
      });
      tls.setDefaultCACertificates([...before, slapd.certificate]);
      const starts = await add({ name: `starttls ${engine}`, directory: encrypted });
      expectProblem((await signIn(name, "wrong", { id: starts })).answer, "directory-refused");
      const secure = await add({ name: `tls ${engine}`, issuer: slapd.tlsUrl });
      expect((await signIn(name, undefined, { id: secure })).body.status).toBe("signed-in");
      tls.setDefaultCACertificates(before);
      expectProblem((await signIn(name, undefined, { id: secure })).answer, "sign-in-unavailable");
      expect(server().log.takeErrors().join()).toContain("certificate");
    });

    test("is explained before it is stored, and never connects to a private network for an administrator", async () => {
      const name = newName();
      const dn = await slapd.addPerson(name);
      await slapd.addPerson(`${name}-twin`, { mail: `${name}@corp.example` });
      const input = { url: slapd.url, bind_password: bindPassword, directory };
      const ask = async (more: Partial<BodyInputOf<"directories.test">>) =>
        await owner.call("directories.test", { body: { ...input, ...more } });
      const problems: [DirectoryProblem | null, Partial<BodyInputOf<"directories.test">>][] = [
        [null, {}],
        [null, { username: name }],
        ["connection-refused", { url: "ldap://127.0.0.1:1" }],
        ["host-not-found", { url: "ldaps://nowhere.invalid" }],
        ["certificate", { url: slapd.tlsUrl }],
        ["certificate", { directory: { ...directory, start_tls: true } }],
        ["not-encrypted", { url: slapd.url.replace("ldap:", "ldaps:") }],
        ["bind-refused", { bind_password: "wrong" }],
        ["base-not-found", { directory: { ...directory, base_dn: `ou=nothing,${base}` } }],
        ["filter", { directory: { ...directory, user_filter: "(uid={username}" } }],
        ["filter", { directory: { ...directory, user_filter: "(uid={username}*)" } }],
        ["nobody-found", { username: `nobody-${name}` }],
        ["several-found", { username: `${name}@corp.example` }],
      ];
      for (const [problem, more] of problems)
        expect((await ask(more)).problem, JSON.stringify(more)).toBe(problem);
      await slapd.addGroup(`Seen ${name}`, [dn]);
      expect((await ask({ username: name, groups_claim: "memberOf" })).person).toEqual({
        dn,
        name: `Person ${name}`,
        email: `${name}@corp.example`,
        groups: [`cn=Seen ${name},ou=groups,${base}`, `Seen ${name}`],
      });
      // The stored password goes to the same server only.
      const stored = { bind_password: undefined, sign_in_provider_id: "work" };
      expect((await ask(stored)).problem).toBeNull();
      expect(
        (await ask({ ...stored, url: slapd.url.replace("localhost", "127.0.0.1") })).problem,
      ).not.toBeNull();
      expectProblem((await signIn(`${name}@corp.example`, `${name} password`)).answer, "directory-refused");

      // As when it is saved: the password would travel unencrypted.
      const url = "ldap://ldap.example.com";
      await owner.fails("bad-request", "directories.test", { body: { ...input, url } });

      const admin = await join(owner, { email: `admin-${name}@example.com`, role: "admin" });
      await admin.fails("provider-private", "directories.test", { body: input });
      await admin.fails("provider-private", "signInProviders.create", { body: bodyOf() });
    });

    test("is refused with a field that cannot work, and its secret is never returned", async () => {
      for (const more of [
        { issuer: "https://ldap.example.com" },
        { issuer: "ldap://ldap.example.com" },
        { kind: "oidc" as const, client_id: "x" },
        { directory: undefined },
        { directory: { ...directory, user_filter: "(uid=ada)" } },
      ])
        await owner.fails("bad-request", "signInProviders.create", { body: bodyOf(more as object) });
      const { providers } = await owner.call("signInProviders.list");
      expect(JSON.stringify(providers)).not.toContain(bindPassword);
      expect(providers.find(({ id }) => id === "work")).toMatchObject({
        kind: "ldap",
        has_secret: true,
        directory,
      });
      const { providers: names } = await server().guest.call("accounts.options");
      expect(names).toContainEqual({ id: "work", name: "work", asks_password: true });
      const begun = await openBrowser(server().url).post("accounts.startProvider", {}, { provider: "work" });
      expectProblem(begun, "sign-in-provider-not-found");
    });
  });
});
