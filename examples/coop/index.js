// A plugin for ROOST Coop: the score of `toxic-bot serve` as a signal.
//
// Coop's own OpenAI signals read single categories, and none reads `harassment`, where the score
// of a text is. Two fields are set in Coop: the service's address, and a key if it requires one.

const SIGNAL = "TOXIC_BOT_TOXICITY";
const TIMEOUT = 5000; // milliseconds, as Coop's own signals

const field = (label, value) => ({ label, value });
const section = (id, title, ...fields) => ({ id, title, fields });
const CARD =
  "See the model card, toxic_bot/judge/model/README.md in the repository of the version you run.";

const modelCard = {
  modelName: "Toxic Bot",
  version: "the version of your service: GET /openapi.json",
  sections: [
    section(
      "trainingData",
      "Training data",
      field("Overview", `Public data sets, and messages written for the project. ${CARD}`),
    ),
    section(
      "policyAndTaxonomy",
      "Policy and taxonomy",
      field(
        "Toxic",
        "Abusive, insulting, threatening, hateful or obscene toward a person or a group. Swearing " +
          "at things is not toxic.",
      ),
    ),
    section(
      "annotationMethodology",
      "Annotation methodology",
      field("Labels", `Those of the data sets, as far as they follow this notion. ${CARD}`),
    ),
    section(
      "performanceBenchmarks",
      "Performance and benchmarks",
      field("Quality", `Measured on each data set's test rows. ${CARD}`),
    ),
    section(
      "biasAndLimitations",
      "Bias and limitations",
      field("Language", "It reads English. Texts in other languages are an error, not a low score."),
      field("Mistakes", `It makes them, more about some groups than about others. ${CARD}`),
    ),
    section(
      "implementationGuidance",
      "Implementation guidance",
      field("Threshold", "0.5 finds the most with few false alarms; choose a higher one to act alone."),
      field("Runs on", "Your own machines: no text leaves them."),
    ),
    section("relevantLinks", "Relevant links", field("Documentation", "docs/products.md")),
  ],
};

export const manifest = {
  id: "TOXIC_BOT",
  name: "Toxic Bot",
  version: "1.0.0",
  description: "How likely a text is toxic, from your own moderation service.",
  docsUrl: "",
  requiresConfig: true,
  configurationFields: [
    {
      key: "address",
      label: "Address of the service",
      required: true,
      inputType: "text",
      placeholder: "http://127.0.0.1:8000",
      description: "Where 'toxic-bot serve' listens.",
    },
    {
      key: "apiKey",
      label: "Key",
      required: false,
      inputType: "text",
      placeholder: "tb-...",
      description: "From 'toxic-bot serve --new-key coop', if the service has keys.",
    },
  ],
  signalTypeIds: [SIGNAL],
  modelCard,
};

async function score(config, text) {
  const headers = { "Content-Type": "application/json" };
  if (config.apiKey) headers.Authorization = `Bearer ${config.apiKey}`;
  const response = await fetch(`${config.address.replace(/\/+$/, "")}/v1/verdicts`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`Toxic Bot: ${response.status} ${body.error.message}`);
  const [verdict] = body.verdicts;
  // A text that nobody has judged is not a harmless one.
  if (!verdict.legible) throw new Error("Toxic Bot: the text is in a language that the service does not read");
  return verdict.score;
}

export function createSignals({ integrationId, getCredential }) {
  const outputType = { scalarType: "NUMBER" };
  const signal = {
    id: { type: SIGNAL },
    displayName: "Toxicity (Toxic Bot)",
    description: "How likely a text is toxic, from 0 to 1.",
    docsUrl: null,
    recommendedThresholds: { highPrecisionThreshold: 0.8, highRecallThreshold: 0.5 },
    supportedLanguages: ["ENGLISH"],
    pricingStructure: { type: "FREE" },
    eligibleInputs: ["STRING"],
    outputType,
    getCost: () => 1,
    needsMatchingValues: false,
    eligibleSubcategories: [],
    needsActionPenalties: false,
    integration: integrationId,
    allowedInAutomatedRules: true,

    async run({ orgId, value }) {
      const config = await getCredential(orgId);
      if (!config?.address) throw new Error("Toxic Bot: the service's address is not set");
      return { outputType, score: await score(config, value.value) };
    },

    async getDisabledInfo(orgId) {
      const config = await getCredential(orgId);
      if (config?.address) return { disabled: false };
      return { disabled: true, disabledMessage: "Set the address of your Toxic Bot service." };
    },
  };
  return [{ signalTypeId: SIGNAL, signal }];
}

export default { manifest, createSignals };
