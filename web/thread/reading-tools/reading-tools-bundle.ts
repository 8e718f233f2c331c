export { QuoteSelection } from "./quote-selection.tsx";
export { ReadAloud, ReadAloudButton, readAloudItems } from "./read-aloud.tsx";
