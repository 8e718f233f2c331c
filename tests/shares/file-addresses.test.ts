import { beforeAll, expect, test } from "vitest";
import { createOwner, join, type Browser } from "../support/clients/browser.ts";
import { describeServer } from "../support/servers/server.ts";
import { storeMessages } from "../search/store-messages.ts";
import { createReader, loadMs, loadPages, share, shareWith, uploadPicture } from "./sharing.ts";

describeServer("an answer that repeats the address of a file", {}, (server) => {
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

    const { path, token } = await share(owner, threadId, { with_files: true });
    const page = await createReader(server().url).open(path);
    expect(page.text).toContain("It is at");
    await shareWith(owner, threadId, ben);
    const asMember = await ben.call("messages.branch", { params: { thread_id: threadId } });
    const copy = await ben.call("shares.continue", { body: { token } });
    const copied = await ben.call("messages.branch", { params: { thread_id: copy.thread_id } });
    for (const seen of [page.text, JSON.stringify(asMember), JSON.stringify(copied)]) {
      expect(seen).not.toContain(secret.slice(0, 20));
      expect(seen).not.toContain(signature.slice(0, 20));
    }
  });
});
