import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { dot } from "#fixtures/dot.ts";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer } from "../support/servers/server.ts";

describeServer("a profile", {}, (server) => {
  let ada: Browser;
  beforeAll(async () => {
    ada = await join(await openToEveryone(await createOwner(server())), { email: "ada@example.com" });
  });

  const profileOf = async (who: Browser) => (await who.call("auth.me", {})).profile;
  const pictureOf = async () => {
    const url = (await profileOf(ada))!.picture_url!;
    return { url, response: await fetch(server().url + url) };
  };

  test("is empty at first, changes field by field, and can be emptied again", async () => {
    const empty = {
      language: null,
      time_zone: null,
      default_model: null,
      default_assistant_id: null,
      picture_url: null,
    };
    expect(await profileOf(ada)).toEqual(empty);
    await ada.call("profile.update", { body: { language: "ar", default_model: "a/b" } });
    const { profile } = await ada.call("profile.update", {
      body: { time_zone: "Asia/Tokyo", language: null },
    });
    expect(profile).toEqual({ ...empty, time_zone: "Asia/Tokyo", default_model: "a/b" });
    expect(await profileOf(ada)).toEqual(profile);
    await ada.call("profile.update", { body: { time_zone: null, default_model: null } });
    expect(await profileOf(ada)).toEqual(empty);
  });

  test("is not there for guests", async () => {
    const guest = await server().anonymous();
    expect((await guest.call("auth.me", {})).profile).toBeNull();
  });

  test("has a picture at an address that nobody can guess, which is gone when the picture is", async () => {
    await ada.call("profile.update", { body: { picture: dot } });
    const first = await pictureOf();
    expect(first.response.headers.get("Content-Type")).toBe("image/webp");
    expect(first.response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const bytes = Buffer.from(await first.response.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
    // Other changes keep it, and the same picture again has another address.
    await ada.call("profile.update", { body: { language: "en" } });
    expect((await pictureOf()).url).toBe(first.url);
    await ada.call("profile.update", { body: { picture: dot } });
    const second = await pictureOf();
    expect(second.url).not.toBe(first.url);
    expect((await fetch(server().url + first.url)).status).toBe(404);
    await ada.call("profile.update", { body: { picture: null } });
    expect((await fetch(server().url + second.url)).status).toBe(404);
    expect((await profileOf(ada))!.picture_url).toBeNull();
  });

  test("has a picture without the place where it was taken", async () => {
    const plain = await sharp({ create: { width: 900, height: 700, channels: 3, background: "teal" } })
      .withExif({ IFD0: { Copyright: "At Borth" } })
      .jpeg()
      .toBuffer();
    expect(plain.toString("latin1")).toContain("At Borth");
    await ada.call("profile.update", {
      body: { picture: `data:image/jpeg;base64,${plain.toString("base64")}` },
    });
    const bytes = Buffer.from(await (await pictureOf()).response.arrayBuffer());
    expect(bytes.toString("latin1")).not.toContain("At Borth");
    expect((await sharp(bytes).metadata()).width).toBeLessThanOrEqual(512);
    await ada.call("profile.update", { body: { picture: null } });
  });

  test("refuses what is not a picture, and names the field", async () => {
    const html = Buffer.from("<script>alert(1)</script>").toString("base64");
    for (const picture of [
      `data:text/html;base64,${html}`,
      `data:image/svg+xml;base64,${html}`,
      "https://example.com/me.png",
      `data:image/png;base64,${"A".repeat(2 * limits.pictureBytes)}`,
    ]) {
      const problem = await ada.ask("profile.update", { body: { picture } });
      expectProblem(problem, "bad-request");
      expect(problem.text).toContain("picture");
    }
    for (const picture of [`data:image/png;base64,${html}`, dot.slice(0, 60)])
      await ada.fails("picture-invalid", "profile.update", { body: { picture } });
    await ada.fails("bad-request", "profile.update", { body: { time_zone: "Mars/Olympus" } });
    await ada.fails("bad-request", "profile.update", { body: { language: "<b>" } });
    expect((await profileOf(ada))!.picture_url).toBeNull();
  });
});
