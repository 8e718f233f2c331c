import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import {
  createOwner,
  join,
  newEmail,
  openBrowser,
  openToEveryone,
  password,
  type Browser,
} from "../support/clients/browser.ts";
import { waitForFirstWord } from "../support/clients/conversation.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("a guest", { model: true }, (server) => {
  let owner: Browser;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
  });

  const openGuest = async () => {
    const guest = openBrowser(server().url);
    const { body } = await guest.post("auth.openSession", {});
    expect(body).toMatchObject({ role: "guest" });
    return { guest, id: body.user_id };
  };
  const ask = async (guest: Browser, text: string) => {
    const params = { thread_id: newId("thread") };
    const { run_id } = await guest.call("runs.start", {
      params,
      body: { message: { parent_id: null, content: userMessage(text) } },
    });
    return { ...params, run_id };
  };
  const upload = async (guest: Browser) => {
    const { signedUrl, file_id } = await guest.call("files.upload", { body: { filename: "notes.txt" } });
    expect((await fetch(signedUrl, { method: "PUT", body: "some notes" })).status).toBe(200);
    return file_id;
  };
  const threadsOf = async (who: Pick<Browser, "call">) =>
    (await who.call("threads.list")).threads.map(({ id }) => id);

  test("who creates an account stays the same user, with the answer that is being written", async () => {
    const gusEmail = newEmail("gus");
    const { guest, id } = await openGuest();
    const file = await upload(guest);
    const { thread_id, run_id } = await ask(guest, "endless gap=10");
    await waitForFirstWord(guest, run_id);
    const [oldTab, oldCookie] = [guest.tab(), guest.cookie()];
    await join(owner, { email: gusEmail, browser: guest });
    expect(await guest.call("auth.me")).toMatchObject({
      user_id: id,
      workspace_id: id,
      role: "member",
      kind: "member",
    });
    expect(await threadsOf(guest)).toEqual([thread_id]);
    expect((await guest.call("files.list")).files.map((each) => each.id)).toContain(file);
    expect((await guest.call("runs.get", { params: { run_id } })).run.state).toBe("running");
    await guest.call("runs.stop", { params: { run_id } });
    expect(guest.cookie()).not.toBe(oldCookie);
    await oldTab.fails("token-expired", "auth.me");
  });

  test("who creates an account in two tabs at the same time gets one", async () => {
    const { guest } = await openGuest();
    await ask(guest, "tokens=1");
    const invitations = await Promise.all(
      [1, 2].map(
        async () =>
          (await owner.call("invitations.create", { body: { role: "member" } })).link.split("#")[1]!,
      ),
    );
    const made = await Promise.all(
      invitations.map(
        async (invitation, i) =>
          await guest.post("accounts.signUp", {
            name: "Two",
            email: `two${i}@example.com`,
            password,
            invitation,
          }),
      ),
    );
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await threadsOf(guest)).toHaveLength(1);
  });

  describe("who signs in to an account", () => {
    test("moves their threads, files and running answer to it", async () => {
      const miaEmail = newEmail("mia");
      const member = await join(owner, { email: miaEmail });
      const kept = await ask(member, "tokens=1");
      const { guest, id } = await openGuest();
      const file = await upload(guest);
      await guest.call("personalInstructions.put", { body: { instructions: "I am Mia." } });
      const prompt = { params: { prompt_id: newId("prompt") }, body: { title: "Sow", text: "When?" } };
      await guest.call("prompts.put", prompt);
      const { thread_id, run_id } = await ask(guest, "endless gap=10");
      await waitForFirstWord(guest, run_id);
      const oldTab = guest.tab();
      const signedIn = await guest.post("accounts.signIn", { email: miaEmail, password });
      expect(signedIn.body.user_id).not.toBe(id);
      expect((await threadsOf(guest)).toSorted()).toEqual([kept.thread_id, thread_id].toSorted());
      expect((await threadsOf(member)).toSorted()).toEqual([kept.thread_id, thread_id].toSorted());
      expect(await member.call("personalInstructions.get")).toEqual({ instructions: "I am Mia." });
      expect((await member.call("prompts.list")).prompts.map(({ title }) => title)).toEqual(["Sow"]);
      expect((await guest.call("files.list")).files.map((each) => each.id)).toContain(file);
      expect((await guest.call("runs.get", { params: { run_id } })).run.state).toBe("running");
      await guest.call("runs.stop", { params: { run_id } });
      await oldTab.fails("token-expired", "auth.me");
    });

    test("does so exactly once from two tabs at the same time", async () => {
      const nedEmail = newEmail("ned");
      const member = await join(owner, { email: nedEmail });
      const { guest } = await openGuest();
      const { thread_id } = await ask(guest, "tokens=1");
      const file = await upload(guest);
      const [one, two] = [guest.tab(), guest.tab()];
      const body = { email: nedEmail, password };
      const answers = await Promise.all(
        [one, two].map(async (tab) => await tab.ask("accounts.signIn", { body })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await threadsOf(member)).toEqual([thread_id]);
      expect((await member.call("files.list")).files.map((each) => each.id)).toEqual([file]);
    });

    test("does not take anything from another account that the browser was signed in to", async () => {
      const oneEmail = newEmail("one");
      const otherEmail = newEmail("other");
      const first = await join(owner, { email: oneEmail });
      await join(owner, { email: otherEmail });
      const { thread_id } = await ask(first, "tokens=1");
      await first.post("accounts.signIn", { email: otherEmail, password });
      expect(await threadsOf(first)).toEqual([]);
      await first.post("accounts.signIn", { email: oneEmail, password });
      expect(await threadsOf(first)).toEqual([thread_id]);
    });
  });

  test("cannot be claimed again after they signed in", async () => {
    const evaEmail = newEmail("eva");
    const member = await join(owner, { email: evaEmail });
    const { guest } = await openGuest();
    await guest.post("accounts.signIn", { email: evaEmail, password });
    expect(await threadsOf(member)).toEqual([]);
  });
});
