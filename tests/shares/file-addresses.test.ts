import { beforeAll, expect, test } from "vitest";
import type { RunEvent } from "#contract/run-events.ts";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { describeServer } from "../support/servers/server.ts";
import { storeMessages } from "../search/store-messages.ts";
import { ask, createReader, loadMs, loadPages, share, shareWith, uploadPicture } from "./sharing.ts";

describeServer("an answer that repeats the address of a file", { model: true }, (server) => {
  let owner: Browser;
  let ben: Browser;
  beforeAll(async () => {
    owner = await createOwner(server());
    ben = await join(owner, { email: "ben@example.com" });
    await loadPages(server().url);
  }, loadMs);

  test("opens the file for nobody who reads or copies a shared thread", async () => {
    const picture = await uploadPicture(owner);
    const secret = new URL(picture.url).pathname.split("/").at(-1)!.replace(".png", "");
    const { signedUrl } = await owner.call("files.download", { body: { url: picture.url } });
    const signature = new URL(signedUrl).searchParams.get("signature")!;
    const said = `It is at ${picture.url}, for a while at ${signedUrl} and`;
    const { threadId } = await storeMessages(owner, [
      "Where is it?",
      `${said} as a picture: ![it](${picture.url})`,
      "And cut?",
      `${picture.url.slice(0, picture.url.indexOf(secret) + 25)} and ${signedUrl.slice(0, -1)}`,
    ]);
    const own = JSON.stringify(await owner.call("messages.branch", { params: { thread_id: threadId } }));
    expect(own).toContain(secret);
    expect(own).toContain(signature);

    await owner.call("threads.update", {
      params: { thread_id: threadId },
      body: { title: `About ${picture.url}` },
    });
    const { path, token } = await share(owner, threadId, { with_files: true });
    const page = await createReader(server().url).open(path);
    expect(page.text).toContain("It is at");
    await shareWith(owner, threadId, ben);
    const asMember = await ben.call("messages.branch", { params: { thread_id: threadId } });
    const copy = await ben.call("shares.continue", { body: { token } });
    const copied = await ben.call("messages.branch", { params: { thread_id: copy.thread_id } });
    const titles = [
      await ben.call("threadMembers.threads"),
      await ben.call("threads.get", { params: { thread_id: threadId } }),
      await ben.call("threads.get", { params: { thread_id: copy.thread_id } }),
    ];
    for (const seen of [page.text, ...[asMember, copied, ...titles].map((each) => JSON.stringify(each))]) {
      expect(seen).not.toContain(secret.slice(0, 20));
      expect(seen).not.toContain(signature.slice(0, 20));
    }
  });

  test("does not open it while it is written", async () => {
    const picture = await uploadPicture(owner);
    const secret = new URL(picture.url).pathname.split("/").at(-1)!.replace(".png", "");
    const pieces = picture.url.replace(secret.slice(9), `\n${secret.slice(9)}`);
    const { threadId, runId } = await ask(owner, `Say ${picture.url} and ${pieces}\necho`);
    const own = await (await owner.events(runId)).rest();
    expect(textOf(own)).toContain(secret);
    await shareWith(owner, threadId, ben);
    const log = await (await ben.events(runId)).rest();
    expect(log.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    expect(textOf(log)).toContain(`/v1/files/${picture.id}/content`);
    expect(textOf(log)).not.toContain(secret.slice(0, 9));
    expect(await (await ben.events(runId, 4)).rest()).toEqual(log.slice(4));
  });
});

function textOf(log: { data: RunEvent }[]): string {
  return log.map(({ data }) => (data.type === "text-delta" ? data.text : "")).join("");
}
