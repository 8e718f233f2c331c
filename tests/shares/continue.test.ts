import { beforeAll, expect, test } from "vitest";
import { plainText } from "#contract/parts/stored.ts";
import { limits } from "#contract/limits.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner, join, openBrowser, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { describeServer } from "../support/servers/server.ts";
import { ask, createReader, loadMs, loadPages, share, uploadPicture } from "./sharing.ts";

describeServer("continuing a shared thread", { model: true }, (server) => {
  let ada: Browser;
  let owner: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    owner = await openToEveryone(await createOwner(server()));
    ada = await join(owner, { email: "ada@example.com" });
  }, loadMs);

  async function guestBrowser(): Promise<Browser> {
    const guest = openBrowser(server().url);
    await guest.post("auth.openSession");
    return guest;
  }

  test("copies the branch and its files into a guest's own threads, and nothing else", async () => {
    const picture = await uploadPicture(ada);
    const first = await ask(ada, "What grows here?", { file: picture.url });
    const { token } = await share(ada, first.threadId, { with_files: true });
    await ask(ada, "A later secret", { threadId: first.threadId, parentId: first.replyId });
    const guest = await guestBrowser();
    const { thread_id: id } = await guest.call("shares.continue", { body: { token } });
    const { messages } = await guest.call("messages.branch", { params: { thread_id: id } });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(plainText(messages[0]!.format, messages[0]!.content)).toBe("What grows here?");
    const text = JSON.stringify(messages);
    expect(text).not.toContain(picture.id);
    expect(text).not.toContain("A later secret");
    const copied = /file_0[0-9a-z]{24}/.exec(text)![0];
    const file = await fetch(`${server().url}/v1/files/${copied}/content`, { headers: guest.headers });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(picture.bytes);
    const next = await ask(guest, "And next year?", { threadId: id, parentId: messages.at(-1)!.id });
    expect(next.replyId).toBeTruthy();
    const original = await ada.call("messages.branch", { params: { thread_id: first.threadId } });
    expect(JSON.stringify(original)).not.toContain("And next year?");
  });

  test("says on the page and in the copy that an answer was edited by hand, without naming the original", async () => {
    const { threadId, messageId, replyId } = await ask(ada, "What blooms?");
    const edited = await ada.call("messages.add", {
      params: { thread_id: threadId },
      body: {
        parent_id: messageId,
        format: "aui/v0",
        content: {
          role: "assistant",
          content: [{ type: "text", text: "Roses, certainly." }],
          metadata: { custom: { edited_from: replyId } },
        },
      },
    });
    const { token, path } = await share(ada, threadId);
    const page = await createReader(server().url).open(path);
    expect(page.text).toContain("Roses, certainly.");
    expect(page.text).toContain("Edited by hand");
    const guest = await guestBrowser();
    const { thread_id: id } = await guest.call("shares.continue", { body: { token } });
    const { messages } = await guest.call("messages.branch", { params: { thread_id: id } });
    const custom = (message: (typeof messages)[number]) =>
      (message.content["metadata"] as { custom: unknown }).custom;
    expect(messages.map(custom)).toEqual([{}, { edited_from: edited.message_id }]);
    expect(page.text + JSON.stringify(messages)).not.toContain(replyId);
  });

  test("leaves out files that are not shared", async () => {
    const picture = await uploadPicture(ada);
    const { threadId } = await ask(ada, "What is on it?", { file: picture.url });
    const { token } = await share(ada, threadId);
    const { thread_id: id } = await owner.call("shares.continue", { body: { token } });
    const { messages } = await owner.call("messages.branch", { params: { thread_id: id } });
    expect(JSON.stringify(messages)).not.toContain("file_0");
  });

  test("copies and serves nothing that the page hides", async () => {
    const [shown, hidden] = [await uploadPicture(ada), await uploadPicture(ada)];
    const first = await ask(ada, "What is hidden?", { file: shown.url });
    const params = { thread_id: first.threadId };
    const add = async (parentId: string, content: { role: "assistant" | "system"; content: unknown[] }) =>
      (
        await ada.call("messages.add", {
          params,
          body: { parent_id: parentId, format: "aui/v0", content: content as never },
        })
      ).message_id;
    const rules = await add(first.replyId, {
      role: "system",
      content: [{ type: "text", text: "The hidden rules" }],
    });
    const reply = await add(rules, {
      role: "assistant",
      content: [
        { type: "reasoning", text: `The hidden picture: ${hidden.url}` },
        { type: "hologram", beam: hidden.url },
        { type: "text", text: "Nothing." },
      ],
    });
    await ask(ada, "Sure?", { threadId: first.threadId, parentId: reply });
    const { token, path } = await share(ada, first.threadId, { with_files: true });
    const reader = createReader(server().url);
    expect(await reader.file(`${path}/files/${shown.id}`)).toEqual(shown.bytes);
    expect(await reader.file(`${path}/files/${hidden.id}`)).toBeUndefined();
    const guest = await guestBrowser();
    const { thread_id: id } = await guest.call("shares.continue", { body: { token } });
    const { messages } = await guest.call("messages.branch", { params: { thread_id: id } });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "user", "assistant"]);
    expect(JSON.stringify(messages)).not.toContain("hidden rules");
    expect((await guest.call("files.list")).files).toHaveLength(1);
  });

  test(
    "copies the last messages of a branch that is larger than copies may be",
    async () => {
      const { threadId, replyId } = await ask(ada, "What is too long ago?");
      const text = "w".repeat(limits.copiedCharactersMax / 4);
      let parentId = replyId;
      for (let n = 0; n < 5; n++)
        parentId = (
          await ada.call("messages.add", {
            params: { thread_id: threadId },
            body: { parent_id: parentId, format: "aui/v0", content: userMessage(text) },
          })
        ).message_id;
      await ask(ada, "What is recent?", { threadId, parentId });
      const { token } = await share(ada, threadId);
      const guest = await guestBrowser();
      const { thread_id: id } = await guest.call("shares.continue", { body: { token } });
      const copied = JSON.stringify(await guest.call("messages.branch", { params: { thread_id: id } }));
      expect(copied).toContain("What is recent?");
      expect(copied).not.toContain("What is too long ago?");
    },
    loadMs,
  );

  test("needs the password of the link", async () => {
    const { threadId } = await ask(ada, "Where is the treasure?");
    const { token, path } = await share(ada, threadId, { password: "open sesame" });
    await owner.fails("share-locked", "shares.continue", { body: { token } });
    await owner.fails("share-locked", "shares.continue", { body: { token, pass: "guessed" } });
    const reader = createReader(server().url);
    await reader.enter(path, "open sesame");
    const { text } = await reader.open(path);
    const [, pass] = /\/continue#[\w-]+\.([\w-]+)/.exec(text)!;
    expect((await owner.ask("shares.continue", { body: { token, pass: pass! } })).status).toBe(201);
  });

  test("of a link for members is refused for guests, and clients of the protocol see no links", async () => {
    const { threadId } = await ask(ada, "For members");
    const members = await share(ada, threadId, { audience: "members" });
    const open = await share(ada, threadId);
    const body = { token: members.token };
    await (await guestBrowser()).fails("share-not-found", "shares.continue", { body });
    expect((await owner.ask("shares.continue", { body })).status).toBe(201);
    const client = server().inNewWorkspace();
    await client.fails("share-not-found", "shares.continue", { body: { token: open.token } });
  });
});
