import * as artifacts from "#contract/artifacts/artifacts.ts";

type AnswerTexts = artifacts.AnswerTexts;

/** The latest result for each answer: an answer that does not grow is read once. */
const cache = new Map<string, { texts: readonly string[]; blocks: artifacts.AnswerBlocks }>();
/** As many answers as the panel reads, and those of some other threads. */
const cachedMax = 2_000;

/** `artifactsOf` of the contract for the page, which reads the same answers again at each change. */
export function artifactsOf(answers: readonly AnswerTexts[]): artifacts.Artifact[] {
  return artifacts.artifactsOf(answers, read);
}

/** `versionOfBlock` of the contract for the page. */
export function versionOfBlock(
  answer: AnswerTexts,
  block: { language: string; code: string },
): ReturnType<typeof artifacts.versionOfBlock> {
  return artifacts.versionOfBlock(answer, block, read);
}

function read(answer: AnswerTexts): artifacts.AnswerBlocks {
  const { messageId, texts } = answer;
  const known = cache.get(messageId);
  if (known?.texts.length === texts.length && known.texts.every((text, i) => text === texts[i]))
    return known.blocks;
  const blocks = artifacts.readBlocks(answer);
  if (cache.size >= cachedMax) cache.clear();
  cache.set(messageId, { texts, blocks });
  return blocks;
}
