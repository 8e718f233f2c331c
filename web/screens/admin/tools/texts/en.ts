export const texts = {
  "webSearch.title": "Web search",
  "webSearch.about":
    "Assistants can search the web with this service. People are asked before words of theirs are sent to it, and every answer lists what was sent. Pages are read by this server itself.",
  "webSearch.loading": "Loading the search service",
  "webSearch.failed": "Couldn’t load the search service",
  "webSearch.service": "Service",
  "webSearch.address": "Address of your SearXNG server",
  "webSearch.addressHint":
    "For example, https://search.example.com. Its settings must allow the format json (search: formats: [html, json]).",
  "webSearch.noAddress": "Enter an address that begins with https:// or http://.",
  "webSearch.key": "Key",
  "webSearch.keyOptional": "Key (optional)",
  "webSearch.keyHint": "Stored encrypted, and sent only to this service.",
  "webSearch.keyStored": "A key is stored. Enter another one to replace it.",
  "webSearch.remove": "Remove service",
  "webSearch.removeAsk": "Assistants won’t be able to search the web any more.",
  "webSearch.removed": "Service removed.",
  "webSearch.testLabel": "Search for",
  "webSearch.testQuery": "weather in Hamburg",
  "webSearch.test": "Test",
  "webSearch.testing": "Searching…",
  "webSearch.found": {
    one: "Found {count} page in {seconds} s.",
    other: "Found {count} pages in {seconds} s.",
  },
  "webSearch.said": "The service said: {text}",
  "webSearchProblem.unreachable":
    "The service doesn’t answer. Check the address, and that this server can reach it.",
  "webSearchProblem.timeout": "The service took too long.",
  "webSearchProblem.key-refused": "The service refuses the key.",
  "webSearchProblem.used-up": "The account at the service has no searches left for now.",
  "webSearchProblem.json-off":
    "SearXNG doesn’t answer in JSON. Add json to the formats in its settings.yml, then restart it.",
  "webSearchProblem.private": "The address is in this server’s own network. Only an owner can enter it.",
  "webSearchProblem.not-understood": "Something answers, but not like this service.",
  "webSearchProblem.refused": "The service refuses the search.",
} as const;
