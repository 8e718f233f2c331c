import { beforeAll, expect, test } from "vitest";
import { createOwner, join, type Browser } from "./support/clients/browser.ts";
import { newAddress } from "./support/clients/visitor.ts";
import { rawRequest } from "./support/clients/raw-request.ts";
import { describeServer } from "./support/servers/server.ts";
import { ask, createReader, loadMs, loadPages, share, shareWith, uploadPicture } from "./shares/sharing.ts";

/** Vulnerabilities of other chat assistants in what they share, each with the number under which it was published. */

describeServer("a known attack on shared threads", { model: true }, (server) => {
  let ada: Browser;
  let eve: Browser;
  beforeAll(async () => {
    await loadPages(server().url);
    const owner = await createOwner(server());
    ada = await join(owner, { email: "ada@example.com" });
    eve = await join(owner, { email: "eve@example.com" });
  }, loadMs);

  test("CVE-2026-45671, CVE-2026-44654: readers of a link cannot delete its files", async () => {
    const picture = await uploadPicture(ada);
    const { threadId } = await ask(ada, "Whose is it?", { file: picture.url });
    const { path } = await share(ada, threadId, { with_files: true });
    const address = `${path}/files/${picture.id}`;
    for (const method of ["DELETE", "PUT", "POST"])
      expect((await fetch(server().url + address, { method, headers: newAddress() })).status).toBe(404);
    await eve.fails("file-not-found", "files.remove", { params: { file_id: picture.id } });
    expect(await createReader(server().url).file(address)).toEqual(picture.bytes);
  });

  test("CVE-2026-45671, CVE-2026-44654: who writes in a shared thread cannot delete it, its files or messages of others", async () => {
    const picture = await uploadPicture(ada);
    const { threadId, messageId } = await ask(ada, "Written together?", { file: picture.url });
    await shareWith(ada, threadId, eve, "write");
    const params = { thread_id: threadId };
    await eve.fails("file-not-found", "files.remove", { params: { file_id: picture.id } });
    await eve.fails("thread-not-found", "threads.remove", { params });
    await eve.fails("thread-not-found", "messages.remove", { params, body: { message_ids: [messageId] } });
    expect(await createReader(server().url).file(new URL(picture.url).pathname)).toEqual(picture.bytes);
    const { messages } = await ada.call("messages.branch", { params });
    expect(messages.map(({ id }) => id)).toContain(messageId);
  });

  test("CVE-2026-45386, CVE-2026-45316, CVE-2026-44571: a link allows no writes", async () => {
    const { threadId, messageId } = await ask(ada, "Read only?");
    const { path } = await share(ada, threadId);
    for (const method of ["DELETE", "PUT", "PATCH"])
      expect((await fetch(server().url + path, { method, headers: newAddress() })).status).toBe(404);
    const params = { thread_id: threadId };
    await eve.fails("thread-not-found", "threads.update", { params, body: { title: "Eve's" } });
    await eve.fails("thread-not-found", "messages.remove", { params, body: { message_ids: [messageId] } });
    await eve.fails("thread-not-found", "threads.get", { params });
    expect((await createReader(server().url).open(path)).text).toContain("Read only?");
  });

  test("CVE-2026-42277, LibreChat 13221: files of other threads are not under the link", async () => {
    const [shown, hidden] = [await uploadPicture(ada), await uploadPicture(ada)];
    const { threadId } = await ask(ada, "Shown", { file: shown.url });
    await ask(ada, "Hidden", { file: hidden.url });
    const { path } = await share(ada, threadId, { with_files: true });
    const reader = createReader(server().url);
    expect(await reader.file(`${path}/files/${shown.id}`)).toEqual(shown.bytes);
    expect(await reader.file(`${path}/files/${hidden.id}`)).toBeUndefined();
    expect((await reader.open(path)).text).not.toContain("/v1/");
  });

  test("branches that the link does not show cannot be read through its pages", async () => {
    const first = await ask(ada, "The shared branch");
    const { path } = await share(ada, first.threadId);
    const other = await ask(ada, "The private branch", { threadId: first.threadId });
    const reader = createReader(server().url);
    for (const before of [other.replyId, other.messageId, "msg_0", "'"])
      expect((await reader.open(`${path}?before=${encodeURIComponent(before)}`)).text).not.toContain(
        "The private branch",
      );
  });

  test("an invalid place in the branch is ignored", async () => {
    const { threadId } = await ask(ada, "Which place?");
    const { path } = await share(ada, threadId);
    const { status, text } = await createReader(server().url).open(`${path}?before=msg%00`);
    expect(status).toBe(200);
    expect(text).toContain("Which place?");
  });

  test("the token is in no log when the request is refused before its page is found", async () => {
    const { threadId } = await ask(ada, "Which host?");
    const { path, token } = await share(ada, threadId);
    const headers = { Host: "evil.example" };
    expect((await rawRequest(server().url, { method: "GET", path, headers })).status).toBe(403);
    expect(server().log.text()).toContain("/s/{token}");
    expect(server().log.text()).not.toContain(token);
  });

  test("CVE-2026-32626, CVE-2026-41318: words of people and titles never become markup", async () => {
    const attack = `</style></script><script>alert(1)</script><img src=x onerror=alert(1)>`;
    const { threadId } = await ask(ada, attack);
    await ada.call("threads.update", { params: { thread_id: threadId }, body: { title: attack } });
    const { path } = await share(ada, threadId, { is_live: true });
    const { text } = await createReader(server().url).open(path);
    expect(text).not.toContain("<script>alert");
    expect(text).not.toContain("<img src=x");
  });

  test("GHSA-xv2c-gx5q-9hrc: the page cannot be framed", async () => {
    const { threadId } = await ask(ada, "Framed?");
    const { path } = await share(ada, threadId);
    const { headers } = await createReader(server().url).open(path);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("x-frame-options")).toBe("DENY");
  });
});
