"""Google's client for Node, where Node and its package ``googleapis`` are installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest

from tests.service.test_perspective import INSULT

pytestmark = pytest.mark.slow

# As Perspective's guide has it; only the address is another.
SCRIPT = """
const {google} = require('googleapis');
const [address, text] = process.argv.slice(1);
google.discoverAPI(address + '/$discovery/rest?version=v1alpha1').then(async client => {
  const ask = text => client.comments.analyze({
    key: 'any key', resource: {comment: {text}, requestedAttributes: {TOXICITY: {}}}});
  const answer = (await ask(text)).data;
  const refusal = await ask('').catch(error => error.message);
  console.log(JSON.stringify({answer, refusal}));
});
"""


@pytest.fixture
def node() -> str:
    path = shutil.which("node")
    reason = "install Node, 'npm install googleapis', and set NODE_PATH to its node_modules"
    if path is None:
        pytest.skip(reason)
    found = subprocess.run([path, "-e", "require.resolve('googleapis')"], capture_output=True)
    if found.returncode:
        pytest.skip(reason)
    return path


def test_googles_client_for_node_scores_a_comment(node: str, address: str) -> None:
    environment = os.environ | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    finished = subprocess.run(
        [node, "-e", SCRIPT, address, INSULT],
        capture_output=True,
        check=True,
        timeout=60,
        env=environment,
    )
    result = json.loads(finished.stdout)
    assert result["answer"]["attributeScores"]["TOXICITY"]["summaryScore"]["value"] > 0.5
    assert result["refusal"] == "Comment must be non-empty."
