import { beforeAll, describe, expect, test } from "vitest";
import { plainText } from "#contract/parts/stored.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { describeServer } from "../support/servers/server.ts";
import { ask, createReader, followLive, loadMs, loadPages, share, uploadPicture } from "./sharing.ts";

describeServer("a link to all branches", { model: true }, (server) => {
  let ada: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    ada = await join(await openToEveryone(await createOwner(server())), { email: "ada@example.com" });
  }, loadMs);
  /** The page below its title, which is the thread's first words. */
  const open = async (path: string) => {
    const { text } = await createReader(server().url).open(path);
    return text.slice(text.indexOf("</h1>"));
  };

  const look = async (threadId: string, id: string) =>
    await ada.call("messages.setHead", { params: { thread_id: threadId }, body: { message_id: id } });

  /** "First" with "Below the first", and its newer version "Second", which its person sees. */
  async function twoBranches() {
    const first = await ask(ada, "First");
    const { threadId } = first;
    const below = await ask(ada, "Below the first", { threadId, parentId: first.replyId });
    const second = await ask(ada, "Second", { threadId });
    await look(threadId, second.replyId);
    return { threadId, first, below, second };
  }

  describe.each([false, true])("live: %s", (isLive) => {
    test("lets readers switch, and continue what they see", async () => {
      const { threadId, first, below, second } = await twoBranches();
      const { path, token } = await share(ada, threadId, { is_live: isLive, all_branches: true });
      const shown = await open(path);
      expect(shown).toContain("Second");
      expect(shown).not.toContain("First");
      const toFirst = `${path}?at=${first.messageId}`;
      expect(shown).toContain(`href="${toFirst}#${first.messageId}"`);
      const other = await open(toFirst);
      expect(other).toContain("First");
      expect(other).toContain("Below the first");
      expect(other).not.toContain(">Second<");
      expect(other).toContain(`href="${path}?at=${second.messageId}#${second.messageId}"`);
      expect(other).toContain(`/continue#${token}..${first.messageId}`);
      const guest = openBrowser(server().url);
      await guest.post("auth.openSession");
      const copyOf = async (at?: string) => {
        const body = { token, ...(at === undefined ? {} : { at }) };
        const { thread_id: id } = await guest.call("shares.continue", { body });
        const { messages } = await guest.call("messages.branch", { params: { thread_id: id } });
        return messages.map(({ format, content }) => plainText(format, content));
      };
      expect((await copyOf(first.messageId)).filter((_, i) => i % 2 === 0)).toEqual([
        "First",
        "Below the first",
      ]);
      expect((await copyOf()).at(0)).toBe("Second");
      const counted = (await ada.call("shares.list", { query: { thread_id: threadId } })).shares[0]!;
      expect(counted).toMatchObject({ all_branches: true, views: 1 });
      expect(below.replyId).toBeTruthy();
    });

    test("without all branches shows one, whatever the address says", async () => {
      const { threadId, first } = await twoBranches();
      const { id, path, token } = await share(ada, threadId, { is_live: isLive });
      for (const page of [path, `${path}?at=${first.messageId}`]) {
        const text = await open(page);
        expect(text).toContain("Second");
        expect(text).not.toContain("First");
        expect(text).not.toContain("Version 2 of 2");
      }
      const { thread_id: copy } = await ada.call("shares.continue", { body: { token, at: first.messageId } });
      const { messages } = await ada.call("messages.branch", { params: { thread_id: copy } });
      expect(JSON.stringify(messages)).not.toContain("First");
      await ada.call("shares.update", { params: { share_id: id }, body: { all_branches: true } });
      expect(await open(`${path}?at=${first.messageId}`)).toContain("First");
    });

    test("shares the files of all branches, if it shares files", async () => {
      const picture = await uploadPicture(ada);
      const first = await ask(ada, "First", { file: picture.url });
      const { threadId } = first;
      await ask(ada, "Second", { threadId });
      const fileOf = async (options: { with_files: boolean; all_branches: boolean }) => {
        const { path } = await share(ada, threadId, { is_live: isLive, ...options });
        const page = await open(`${path}?at=${first.messageId}`);
        expect(page.includes(`src="${path}/files/`)).toBe(options.with_files && options.all_branches);
        return await createReader(server().url).file(`${path}/files/${picture.id}`);
      };
      expect(await fileOf({ with_files: true, all_branches: true })).toEqual(picture.bytes);
      expect(await fileOf({ with_files: false, all_branches: true })).toBeUndefined();
      expect(await fileOf({ with_files: true, all_branches: false })).toBeUndefined();
    });
  });

  test("as a snapshot has no later branches, and no answer that is finished later", async () => {
    const { threadId, first, below, second } = await twoBranches();
    const started = await ada.call("runs.start", {
      params: { thread_id: threadId },
      body: { message: { parent_id: first.replyId, content: userMessage("Unfinished\nendless gap=10") } },
    });
    await look(threadId, second.replyId);
    const { path } = await share(ada, threadId, { all_branches: true });
    await ada.call("runs.stop", { params: { run_id: started.run_id } });
    await (await ada.events(started.run_id)).until(({ data }) => data.type === "run-end");
    const later = await ask(ada, "Later", { threadId });
    const deeper = await ask(ada, "Deeper", { threadId, parentId: below.replyId });
    for (const at of [later.messageId, started.reply_id, deeper.messageId]) {
      const text = await open(`${path}?at=${at}`);
      expect(text).toContain("Second");
      expect(text).not.toMatch(/Later|Deeper|of 3/);
    }
    const other = await open(`${path}?at=${below.messageId}`);
    expect(other).toContain("Below the first");
    expect(other).not.toContain("Deeper");
    // The question was there, its answer was not.
    expect(other).toContain("Version 1 of 2");
  });

  test("as a live view follows the branch that the reader has chosen", async () => {
    const { threadId, first, below } = await twoBranches();
    const { path } = await share(ada, threadId, { is_live: true, all_branches: true });
    const stream = await followLive(server().url, `${path}?at=${first.messageId}`);
    const [hello] = await stream.until(() => true);
    expect(hello!.data.order).toHaveLength(4);
    const next = await ask(ada, "Deeper", { threadId, parentId: below.replyId });
    const seen = await stream.until(({ data }) => data.order.includes(next.replyId));
    expect(seen.at(-1)!.data.order.slice(0, 4)).toEqual(hello!.data.order);
    stream.close();
  });

  test("does not show the branches of other threads", async () => {
    const { threadId } = await twoBranches();
    const secret = await ask(ada, "Secret");
    const { path } = await share(ada, threadId, { all_branches: true });
    expect(await open(`${path}?at=${secret.messageId}`)).not.toContain("Secret");
  });
});
