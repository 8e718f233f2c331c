/** By which its words are told from those of others. */
export const builtinId = "builtin";

export type Situation = {
  /** The language model that could answer what the built-in assistant cannot, if there is one. */
  connected: string | undefined;
  /** Whether it may look through the threads of whoever asks. */
  looksBack: boolean;
};

/** Ends a sentence that says what takes a language model. */
export function lack({ connected }: Situation): string {
  return connected === undefined ? "none is connected here" : "the built-in assistant is none";
}

/** What to do about it: at length the first time in a conversation, then in a line. */
export function remedy({ connected }: Situation, told: boolean): string {
  if (connected !== undefined) return `Choose **${connected}** as the model, and ask again.`;
  return told ? howToConnectShort : howToConnect;
}

/** Whether a text says already what to do about it. */
export function saysRemedy(text: string): boolean {
  return text.includes("OPENAI_BASE_URL");
}

/** How a language model is connected, for the person who runs this server. */
const howToConnect = `To connect one, whoever runs this server can do either of these:

- **Any OpenAI-compatible service or local server:** set its address in \`.env\`, and restart:

  \`\`\`sh
  OPENAI_BASE_URL=https://api.openai.com/v1
  OPENAI_API_KEY=…   # where the service wants a key
  OPENAI_MODEL=…     # otherwise the first one it lists
  \`\`\`

- **Ollama on this machine:** start it and fetch a model, for example \`ollama pull llama3.2\`. It is found by itself within some ten seconds; then ask again.`;

const howToConnectShort =
  "Set `OPENAI_BASE_URL` (and, where needed, `OPENAI_API_KEY` and `OPENAI_MODEL`) in `.env` and restart, or start Ollama on this machine and ask again.";

export function whatICanDo({ looksBack }: Situation): string {
  return `I can work things out exactly, with the same tools that a language model would use here:

- **Arithmetic:** \`12 * (3 + 4)^2\`, *the square root of 144*
- **Percentages:** *15% of 240*, *20% off 59.90*, *18% tip on 64.50*
- **Units:** *10 miles in km*, *72 F to celsius*, *2.5 cups to ml*, *5'11" in cm*
- **Dates:** *days until Christmas*, *what day is 3 weeks from now*, *how long between 2024-02-28 and 2024-03-01*${looksBack ? lookingBack : ""}

Several questions on several lines are answered together.`;
}

const lookingBack = `
- **Your threads:** *what did we talk about yesterday?*, *what did I say about the cabin?*, *summarise my last thread*; answers quote the places, with links that open them`;
