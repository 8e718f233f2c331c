/** What people put around a question without asking anything by it, in the languages of those who may ask. */
const openings =
  /^(?:please|pls|bitte|hey|hi|hello|ok|okay|so|and|und|et|y|e|now|then|also|well|um|what about|how about|can you|could you|would you|will you|kannst du|tell me|i want to know|i need to know|i'd like to know|do you know|quick question:?|calculate|compute|evaluate|solve|simplify|work out|figure out|find|give me|show me|what(?:'s| is| are| would be| will be| was)|whats|how much (?:is|are|would be|does)|how many (?:is|are)|convert|conversion of|the (?:value|result|answer|sum) of|result of|value of|was (?:ist|sind|ergibt|macht)|wie ?viel (?:ist|sind|ergibt|macht)|berechne|rechne|rechne aus|wandle|combien (?:font|fait|est|vaut)|c'est quoi|calcule[rz]?|convertis(?:sez)?|cuánto (?:es|son)|cuanto (?:es|son)|calcula|convierte|quanto (?:fa|è|é|e)|calcola|calcule|hoeveel is|bereken|ile (?:to )?jest|ile to|сколько будет|посчитай|вычисли)(?=$|[\s:,(\d-])[\s:,]*/i;

const closings =
  /(?:[\s,]*(?:please|pls|bitte|for me|thanks|thank you|s'il vous plaît|por favor|equals?(?: what)?|is what|make|um|exactly|approximately|roughly|是多少|等于多少|はいくつ(?:ですか)?|は)|[\s?؟=!.:;…]+)$/i;

/** Longer texts are no questions that anyone framed. */
const framedCharactersMax = 1_000;
const layersMax = 12;

/** The question itself: what is left when greetings, requests and marks are taken off both ends. */
export function bare(text: string): string {
  let now = text.replace(/[’‘]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, " ").trim();
  if (now.length > framedCharactersMax) return now;
  for (let layer = 0; layer < layersMax; layer++) {
    // A factorial keeps its mark.
    const factorial = /\d!$/.test(now);
    const next = (factorial ? now : now.replace(closings, "")).replace(openings, "").trim();
    if (next === now) break;
    now = next;
  }
  return now;
}
