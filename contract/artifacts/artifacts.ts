import { languageName } from "./code-languages.ts";
import { type ArtifactKind, artifactKind, extensionOf, isArtifact, isLong } from "./artifact-kind.ts";
import { type FencedBlock, fencedBlocks } from "./fenced-blocks.ts";

/** An answer of a branch with its texts. */
export type AnswerTexts = {
  messageId: string;
  texts: readonly string[];
  /** The answers that a person made this one of, by editing each of them by hand, the oldest first. */
  originals?: readonly AnswerTexts[] | undefined;
};

export type ArtifactVersion = {
  /** Identifies it among the versions, in addresses: that of the answer, and its position if it is not the first there. */
  id: string;
  /** The answer that contains it. */
  messageId: string;
  /** The number of its block in the answer. It stays when the name changes while the block is written. */
  position: number;
  code: string;
  /** Whether the block has its end. Without one, the answer is still being written, or was interrupted. */
  isClosed: boolean;
  /** A person made it of the version before it. */
  isByHand?: true;
};

/** What an answer makes, in all versions of a branch, oldest first. */
export type Artifact = {
  /** Identifies it in its thread, and in addresses. */
  key: string;
  kind: ArtifactKind;
  language: string;
  /** Absent if the answer names it nowhere. */
  title: string | undefined;
  /** The number among those of one answer that have the same kind and title. */
  order: number;
  /** Its keys before edits by hand that changed it, if no other artifact has them. */
  formerKeys: string[];
  versions: [ArtifactVersion, ...ArtifactVersion[]];
};

/**
 * The artifacts of a branch: its fenced blocks that are long, or of a kind that can be shown. Nothing of them is stored
 * besides the answers, so they are the same on every device and after a crash, and a copy or an export has them. Blocks of
 * successive answers with the same kind and title are versions of one artifact. So are a block of an answer and what it was
 * in those that the answer was edited from, whatever the edit changed.
 */
export function artifactsOf(answers: readonly AnswerTexts[], read = readBlocks): Artifact[] {
  const artifacts = new Map<string, Artifact>();
  const idsByKey = new Map<string, Set<string>>();
  for (const answer of answers) {
    const readOnce = memoized(read);
    for (const { block, name, formerKeys, versions } of historiesIn(answer, readOnce)) {
      const known = artifacts.get(name.key);
      if (known === undefined) {
        const { language } = block;
        const kind = artifactKind(language, block.code);
        artifacts.set(name.key, { ...name, kind, language, formerKeys, versions });
        idsByKey.set(name.key, new Set(versions.map(({ id }) => id)));
        continue;
      }
      known.formerKeys.push(...formerKeys);
      const ids = idsByKey.get(name.key)!;
      const added = versions.map((version) =>
        ids.has(version.id) ? { ...version, id: placeId(version) } : version,
      );
      for (const { id } of added) ids.add(id);
      known.versions.push(...added);
    }
  }
  for (const artifact of artifacts.values())
    artifact.formerKeys = artifact.formerKeys.filter((key) => !artifacts.has(key));
  return [...artifacts.values()];
}

/** The blocks of an answer that are artifacts there or, before an edit made it short, in one that this was edited from. */
function historiesIn(answer: AnswerTexts, read: ReadIndexed) {
  const { all, named } = read(answer);
  // Most answers were not edited.
  const positions = answer.originals === undefined ? named.map(({ position }) => position) : [...all.keys()];
  return positions.flatMap((position) => {
    const places = placesOf(position, answer, read);
    const names = places.flatMap((place) => place.name ?? []);
    const name = names.at(-1);
    const block = all[position];
    if (name === undefined || block === undefined) return [];
    const formerKeys = names.map(({ key }) => key).filter((key) => key !== name.key);
    return { block, name, formerKeys, versions: versionsAt(places) };
  });
}

type ArtifactName = Pick<Artifact, "key" | "title" | "order">;
type PlacedBlock = {
  messageId: string;
  position: number;
  block: FencedBlock;
  name: ArtifactName | undefined;
};

/** Where a block of an answer is in those that the answer was edited from and, at the end, in the answer itself. */
function placesOf(position: number, answer: AnswerTexts, read: ReadIndexed): PlacedBlock[] {
  const places: PlacedBlock[] = [];
  let at: number | undefined = position;
  let later: IndexedBlocks | undefined;
  for (const each of [...(answer.originals ?? []), answer].toReversed()) {
    const blocks = read(each);
    if (later !== undefined && at !== undefined) at = positionBefore(at, later, blocks);
    const block = at === undefined ? undefined : blocks.all[at];
    if (at === undefined || block === undefined) break;
    places.unshift({ messageId: each.messageId, position: at, block, name: blocks.names.get(at) });
    later = blocks;
  }
  return places;
}

/** The blocks of an answer, with the names of those that are artifacts, by position. */
type IndexedBlocks = AnswerBlocks & { names: ReadonlyMap<number, ArtifactName> };
type ReadIndexed = (answer: AnswerTexts) => IndexedBlocks;

/** Reads each answer once: the versions of each of its blocks need all of them. */
function memoized(read: typeof readBlocks): ReadIndexed {
  const known = new Map<AnswerTexts, IndexedBlocks>();
  return (answer) => {
    const found = known.get(answer);
    if (found !== undefined) return found;
    const blocks = read(answer);
    const names = blocks.named.map(
      ({ position, key, title, order }) => [position, { key, title, order }] as const,
    );
    const indexed = { ...blocks, names: new Map(names) };
    known.set(answer, indexed);
    return indexed;
  };
}

/**
 * The position before an edit of the block at `position` after it: that of the block with the same key. An edit may change
 * the key: then the block in its place, if the answer has as many blocks as before.
 */
function positionBefore(position: number, after: IndexedBlocks, before: IndexedBlocks): number | undefined {
  const key = after.names.get(position)?.key;
  const sameAfter = after.named.filter((block) => block.key === key);
  const sameBefore = before.named.filter((block) => block.key === key);
  const same = sameBefore[sameAfter.findIndex((block) => block.position === position)];
  if (same !== undefined) return same.position;
  const keyBefore = before.names.get(position)?.key;
  const isOther = keyBefore !== undefined && after.named.some((block) => block.key === keyBefore);
  const isInPlace =
    after.all.length === before.all.length &&
    after.all[position]?.language === before.all[position]?.language;
  return isInPlace && !isOther ? position : undefined;
}

/** The different versions of a block that was in these places. */
function versionsAt(places: readonly PlacedBlock[]): Artifact["versions"] {
  const versions: ArtifactVersion[] = [];
  for (const { messageId, position, block } of places) {
    const before = versions.at(-1);
    const version = { id: messageId, messageId, position, code: block.code, isClosed: block.isClosed };
    if (before === undefined) versions.push(version);
    // The latest answer with a version stands for those that left it as it was: it is in the branch.
    else if (before.code === block.code)
      versions[versions.length - 1] = { ...before, id: messageId, messageId, position };
    else versions.push({ ...version, isByHand: true });
  }
  return versions as Artifact["versions"];
}

/** The artifact that has the block at a place of an answer among its versions. */
export function artifactAt(
  artifacts: readonly Artifact[],
  place: { messageId: string; position: number },
): Artifact | undefined {
  return artifacts.find(({ versions }) =>
    versions.some(({ messageId, position }) => messageId === place.messageId && position === place.position),
  );
}

/**
 * The artifact and version of the block of an answer with this code, or with its beginning while the answer is shown word by
 * word.
 */
export function versionOfBlock(
  answer: AnswerTexts,
  { language, code }: { language: string; code: string },
  read = readBlocks,
): { key: string; id: string } | undefined {
  const { messageId } = answer;
  const { named } = read(answer);
  const blocks = named.filter(({ block }) => block.language === language);
  const found =
    blocks.find(({ block }) => block.code.trimEnd() === code.trimEnd()) ??
    // What is being written is the last one.
    blocks.findLast(({ block }) => block.code.startsWith(code));
  if (found === undefined) return undefined;
  const { key, position } = found;
  const isFirst = named.find((other) => other.key === key) === found;
  return { key, id: isFirst ? messageId : placeId({ messageId, position }) };
}

function placeId({ messageId, position }: { messageId: string; position: number }): string {
  return `${messageId}.${position}`;
}

/** The name of the file that a version is saved as. `fallback`: the name of an artifact without a title. */
export function fileNameOf({ title, language, kind }: Artifact, fallback: string): string {
  const name = (title ?? fallback)
    // Characters that file systems do not allow, and invisible ones.
    .replaceAll(/[\\/:*?"<>|\p{C}]+/gu, "-")
    .replace(/^[\s.-]+/, "")
    .trim()
    .slice(0, 80);
  const extension = extensionOf(kind === "svg" ? "svg" : (languageName(language) ?? ""));
  const hasExtension = /\.[a-z0-9]{1,8}$/i.test(name) || extension === name.toLowerCase();
  return hasExtension ? name : `${name === "" ? "artifact" : name}.${extension}`;
}

/**
 * The name that an answer gives to the file of a block, without its folders. Without the answer, the name is only searched
 * in the code.
 */
export function givenFileName(
  texts: readonly string[],
  { language, code }: { language: string; code: string },
): string | undefined {
  const block = texts
    .flatMap(fencedBlocks)
    .find((each) => each.language === language && each.code.trimEnd() === code.trimEnd());
  return fileNameIn(block ?? { meta: "", lineAbove: "", code })
    ?.split("/")
    .at(-1);
}

type NamedBlock = {
  block: FencedBlock;
  position: number;
  key: string;
  title: string | undefined;
  order: number;
};

/** The blocks of an answer: all of them by their position, and those that are artifacts. */
export type AnswerBlocks = { all: FencedBlock[]; named: NamedBlock[] };

/** Reads the blocks of an answer. The page keeps the results for answers that do not grow. */
export function readBlocks({ messageId, texts }: AnswerTexts): AnswerBlocks {
  const all = texts.flatMap(fencedBlocks);
  return { all, named: nameBlocks(messageId, all) };
}

function nameBlocks(messageId: string, blocks: readonly FencedBlock[]): NamedBlock[] {
  const counts = new Map<string, number>();
  return blocks
    .map((block, position) => ({ block, position }))
    .filter(({ block: { language, code } }) => isArtifact(language, code))
    .map(({ block, position }) => {
      const kind = artifactKind(block.language, block.code);
      const title = titleOf(block, kind);
      const type = kind === "code" ? (languageName(block.language) ?? "text").toLowerCase() : kind;
      // A few lines without a name illustrate an answer. They are no version of what another answer made.
      const isSnippet = title === undefined && isFragment(block, kind);
      const name = `${type}:${isSnippet ? `@${messageId}` : (title ?? "")}`;
      // A block that says so is a version of the one before it, also in one answer.
      const order = isUpdate(block) ? (counts.get(name) ?? 1) : (counts.get(name) ?? 0) + 1;
      counts.set(name, order);
      // No title has two spaces in a row, so that none is taken for the number of another.
      return { block, position, title, order, key: order === 1 ? name : `${name}  ${order}` };
    });
}

const titleInMeta = /(?:^|\s)title=(?:"([^"]+)"|'([^']+)'|(\S+))/;

function isUpdate({ meta }: FencedBlock): boolean {
  return /(?:^|\s)update(?:\s|$)/.test(meta.replace(titleInMeta, ""));
}

function isFragment({ code }: FencedBlock, kind: ArtifactKind): boolean {
  if (kind === "html") return !isLong(code) && !/<(?:!doctype|html|body)\b/i.test(code);
  return (kind === "markdown" || kind === "react") && !isLong(code);
}

/** Characters. */
const titleMax = 120;

/** The title in the fence's line, the name of the file, the title in the code, or the heading above. */
function titleOf(block: FencedBlock, kind: ArtifactKind): string | undefined {
  const title =
    titleInMeta.exec(block.meta)?.slice(1).find(Boolean) ??
    fileNameIn(block) ??
    titleInCode(block.code, kind) ??
    block.heading?.replaceAll(/[*_`]/g, "");
  const clean = title?.replaceAll(/\s+/g, " ").trim().slice(0, titleMax).toWellFormed();
  return clean === "" ? undefined : clean;
}

const fileName = /^[\w@()[\].-]+(?:\/[\w@()[\].-]+)*\.[a-z][a-z0-9]{0,7}$/i;

/** Longer lines, in characters, name no file. */
const nameLineMax = 200;

/** The name of a file after the language, in the line above the block, or in a comment in its first line. */
function fileNameIn({
  meta,
  lineAbove,
  code,
}: Pick<FencedBlock, "meta" | "lineAbove" | "code">): string | undefined {
  const firstLine = code.slice(0, 200).split("\n", 1)[0] ?? "";
  const candidates = [
    /(?:^|\s)(?:file(?:name)?=)?["']?([^\s"'=]+)["']?/.exec(meta)?.[1],
    lineAbove.length > nameLineMax
      ? undefined
      : /^\W*(?:file(?:name)?:\W*)?[*`]([^*`]+)[*`]\W*$/i.exec(lineAbove)?.[1],
    /^\s*(?:\/\/|#|--|\/\*|<!--|%|;)\s*(?:file(?:name)?:\s*)?(\S+)\s*(?:\*\/|-->)?\s*$/i.exec(firstLine)?.[1],
  ];
  return candidates.find((name) => name !== undefined && fileName.test(name));
}

function titleInCode(code: string, kind: ArtifactKind): string | undefined {
  const start = code.slice(0, 4_000);
  switch (kind) {
    case "html":
    case "svg":
      return /<title[^>]*>([^<]+)<\/title>/i.exec(start)?.[1];
    case "markdown":
      return /^#[ \t]+(.+)$/m.exec(start)?.[1];
    case "react":
      return /export default (?:function|class) ([A-Z]\w*)/.exec(code)?.[1];
    default:
      return undefined;
  }
}
