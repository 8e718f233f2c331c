import { languageOf } from "./sentences.ts";

/** Browsers load the list after the first question for it. */
const voicesMaxMs = 2_000;

/**
 * The voices of this device. Others send the text to a service of the browser's maker, and are never used.
 */
export async function localVoices(): Promise<SpeechSynthesisVoice[]> {
  const list = () => speechSynthesis.getVoices().filter(({ localService }) => localService);
  if (speechSynthesis.getVoices().length > 0) return list();
  await new Promise((resolve) => {
    speechSynthesis.addEventListener("voiceschanged", resolve, { once: true });
    setTimeout(resolve, voicesMaxMs);
  });
  return list();
}

/** A voice for the language of a text, else the default one. */
export function voiceFor(text: string, voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | null {
  const language = languageOf(text);
  const speaking = voices.filter(({ lang }) => lang.split(/[-_]/)[0] === language);
  const fitting = speaking.length > 0 ? speaking : voices;
  return fitting.find((voice) => voice.default) ?? fitting[0] ?? null;
}
