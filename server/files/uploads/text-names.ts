/** Extensions of text files. Their bytes may begin like another type or have an older encoding. */
export const textNames =
  /\.(?:txt|text|log|csv|tsv|md|markdown|json|jsonl|xml|yaml|yml|toml|ini|cfg|conf|sql|html?|css|js|mjs|cjs|jsx|ts|tsx|py|rb|java|kt|c|h|cpp|hpp|cs|go|rs|swift|php|pl|sh|ps1|bat|tex|bib|srt|vtt|ics|eml|r|m|lua|scala|vue|svelte)$/i;
