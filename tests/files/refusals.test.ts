import { expect, test } from "vitest";
import { askWithParts, askWithFiles, partOf } from "../support/clients/ask-about-files.ts";
import { attach, gardenPng } from "../support/data/files.ts";
import { describeServer, type TestServer } from "../support/servers/server.ts";
import { modelInputOf, unreadFilesOf } from "../support/data/model-input.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { makePictures } from "../support/data/pictures.ts";

describeServer("a model that refuses pictures", { model: true }, (server) => {
  test("gets the request again without them, and no pictures from then on", async () => {
    const who = server().inNewWorkspace();
    const sent = [{ name: "garden.png", bytes: gardenPng, type: "image/png" }];
    const first = await askWithFiles(server(), who, sent, { words: "sees=no" });
    expect(first.requests.map((request) => modelInputOf(request).pictures.length)).toEqual([1, 0]);
    expect(unreadFilesOf(first.reply.parts)).toEqual([{ name: "garden.png", reason: "model", extra: "ocr" }]);
    expect(first.reply.end?.state).toBe("completed");
    const second = await askWithFiles(server(), who, sent);
    expect(second.requests.map((request) => modelInputOf(request).pictures.length)).toEqual([0]);
    const { models } = await who.call("models.list");
    expect(models.find(({ id }) => id === "env/fixture-1")?.reads).toEqual([]);
  });
});

/** The fixture refuses the first `times` requests of a question with this message. */
const refusing = (says: string, times = 1) => `status=400 times=${times} says=${says.replaceAll(" ", "_")}`;

const picture = { name: "garden.png", bytes: gardenPng, type: "image/png" };

const picturesIn = (requests: Parameters<typeof modelInputOf>[0][]) =>
  requests.map((request) => modelInputOf(request).pictures.length);

async function readsOf(who: Visitor): Promise<readonly string[] | undefined> {
  const { models } = await who.call("models.list");
  return models.find(({ id }) => id === "env/fixture-1")?.reads;
}

async function expectPictureTaken(server: TestServer): Promise<void> {
  const { requests, reply } = await askWithFiles(server, server.inNewWorkspace(), [picture]);
  expect(picturesIn(requests)).toEqual([1]);
  expect(unreadFilesOf(reply.parts)).toEqual([]);
}

describeServer("one picture that a provider refuses", { model: true }, (server) => {
  test("is left out of that question only", async () => {
    const who = server().inNewWorkspace();
    const first = await askWithFiles(server(), who, [picture], {
      words: refusing("You uploaded an unsupported image. Please make sure it is PNG."),
    });
    expect(picturesIn(first.requests)).toEqual([1, 0]);
    expect(first.reply.end?.state).toBe("completed");
    expect(unreadFilesOf(first.reply.parts)).toEqual([{ name: "garden.png", reason: "refused" }]);
    expect(first.told.texts).toContain("the provider that runs you did not take it");
    expect(await readsOf(who)).toEqual(["image"]);
    await expectPictureTaken(server());
  });

  test("does not remove the pictures before it", async () => {
    const who = server().inNewWorkspace();
    const first = await askWithFiles(server(), who, [picture]);
    const [other] = await makePictures(1);
    const second = await askWithFiles(server(), who, [other!], {
      thread_id: first.thread_id,
      parent_id: first.reply_id,
      words: refusing("The image data you provided does not represent a valid image"),
    });
    expect(picturesIn(second.requests)).toEqual([2, 1]);
    expect(unreadFilesOf(second.reply.parts)).toEqual([{ name: other!.name, reason: "refused" }]);
  });

  test("does not stop pictures after one was accepted", async () => {
    await expectPictureTaken(server());
    const first = await askWithFiles(server(), server().inNewWorkspace(), [picture], {
      words: refusing("This model does not support image input."),
    });
    expect(picturesIn(first.requests)).toEqual([1, 0]);
    await expectPictureTaken(server());
  });
});

describeServer("a picture elsewhere that a provider does not fetch", { model: true }, (server) => {
  test("is left out, and the others are sent", async () => {
    const who = server().inNewWorkspace();
    const { publicUrl } = await attach(who, "garden.png", gardenPng, "image/png");
    const { requests, reply } = await askWithParts(
      server(),
      who,
      [
        partOf(publicUrl, "garden.png", "image/png"),
        partOf("https://pictures.example.org/far.png", "far.png", "image/png"),
      ],
      { words: refusing("Error while downloading the picture.") },
    );
    expect(picturesIn(requests)).toEqual([2, 1]);
    expect(unreadFilesOf(reply.parts)).toEqual([{ name: "far.png", reason: "elsewhere" }]);
    expect(reply.end?.state).toBe("completed");
  });

  test("does not change which files the model reads", async () => {
    const who = server().inNewWorkspace();
    const far = partOf("https://pictures.example.org/far.png", "far.png", "image/png");
    await askWithParts(server(), who, [far], { words: refusing("This model does not support image input.") });
    expect(await readsOf(who)).toEqual(["image"]);
  });
});

describeServer("a model with a limit of pictures", { model: true }, (server) => {
  test("gets that number of the newest pictures from then on", async () => {
    const who = server().inNewWorkspace();
    const first = await askWithFiles(server(), who, await makePictures(6), {
      words: refusing("At most 4 image(s) may be provided in one prompt."),
    });
    expect(picturesIn(first.requests)).toEqual([6, 4]);
    expect(unreadFilesOf(first.reply.parts).map(({ reason }) => reason)).toEqual(["no-room", "no-room"]);
    const second = await askWithFiles(server(), who, [picture], {
      thread_id: first.thread_id,
      parent_id: first.reply_id,
    });
    expect(picturesIn(second.requests)).toEqual([4]);
  });
});

describeServer(
  "a model with a configured limit of pictures",
  { model: true, settings: { MODEL_READS: "image:2" } },
  (server) => {
    test("gets no more", async () => {
      const { requests } = await askWithFiles(server(), server().inNewWorkspace(), await makePictures(3));
      expect(picturesIn(requests)).toEqual([2]);
    });
  },
);

describeServer("a conversation whose files are too long for its model", { model: true }, (server) => {
  test("is sent with half of them, and the answer has a note", async () => {
    const long = "The beds of the garden lie to the south. ".repeat(1_000);
    const { requests, reply } = await askWithFiles(
      server(),
      server().inNewWorkspace(),
      [{ name: "long.txt", bytes: long, type: "text/plain" }],
      { words: refusing("This model's maximum context length is 8192 tokens.") },
    );
    const [whole, half] = requests.map((request) => modelInputOf(request).texts.length);
    expect(requests).toHaveLength(2);
    expect(half! / whole!).toBeCloseTo(0.5, 1);
    expect(unreadFilesOf(reply.parts)).toEqual([{ name: "long.txt", reason: "partly" }]);
    expect(reply.end?.state).toBe("completed");
  });
});
