/** Names that are not written like words. */
const spellings: Record<string, string> = {
  chatgpt: "ChatGPT",
  deepseek: "DeepSeek",
  glm: "GLM",
  gpt: "GPT",
};

/** The families of models whose ids follow the same rules. Other ids can be names that the operator chose. */
const families =
  /^(?:chatgpt|claude|command|deepseek|gemini|gemma|glm|gpt|grok|kimi|llama|ministral|mistral|mixtral|codestral|phi|qwen|o\d)(?=[-_.:\d]|$)/i;

/**
 * A readable name for the id of a well-known model: `gpt-4o-mini-2024-07-18` is `GPT-4o mini`. Without the maker, the date
 * and `latest`. Other ids keep their words.
 */
export function labelOf(id: string): string {
  const model = id.slice(id.lastIndexOf("/") + 1);
  if (!families.test(model)) return id.replace(/:latest$/, "");
  const words = model
    .replace(/[-@:_](?:\d{4}-\d{2}-\d{2}|20\d{6}|latest)(?=$|[-:_])/g, "")
    // `3-5` is a version, except in sizes such as `3-70b`.
    .replace(/(?<=[-_]\d)-(\d)(?=$|-)/, ".$1")
    .split(/[-_:]/);
  if (/^o\d/i.test(words[0]!)) return words.join(" ");
  const [family, ...rest] = words.map(spell);
  const isGpt = family === "GPT" && rest.length > 0;
  return isGpt ? [`GPT-${words[1]}`, ...words.slice(2)].join(" ") : [family, ...rest].join(" ");
}

function spell(word: string): string {
  if (/^\d+(?:x\d+)?b$/i.test(word)) return word.toUpperCase();
  return (spellings[word.toLowerCase()] ?? word.charAt(0).toUpperCase() + word.slice(1)).replace(
    /^Llama(?=\d)/,
    "Llama ",
  );
}
