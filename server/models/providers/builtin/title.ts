import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import { recognise } from "./recognise.ts";
import { topicWords } from "./unanswerable.ts";

const titleCharactersMax = 60;

/** A title from a thread's first words: what they are about, without greetings and requests. Empty for no words. */
export function titleOf(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  const first = lines[0] ?? "";
  if (first === "") return "";
  const subject = withoutGreeting(first);
  const { asks } = recognise(subject);
  const words = topicWords(asks.length === 1 ? subject : withoutRequest(subject), limits.titleWords).replace(
    / …$/,
    "",
  );
  const cut = cutText(words, titleCharactersMax).trim();
  return cut.charAt(0).toUpperCase() + cut.slice(1);
}

function withoutGreeting(line: string): string {
  const rest = line.replace(
    /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|hallo|bonjour|hola)(?: there| all)?[\s,!.:]+(?=\S)/i,
    "",
  );
  return rest === "" ? line : rest;
}

function withoutRequest(line: string): string {
  const request =
    /^(?:please |can you |could you |would you |i (?:want|need|would like)(?: you)? to |help me (?:to |with )?|tell me (?:about )?|explain (?:to me )?|write (?:me )?|give me )+(?:an? |the |some )?/i;
  const rest = line.replace(request, "");
  return rest.split(/\s+/).length >= 2 ? rest : line;
}
