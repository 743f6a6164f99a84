"""Expands a SAM template, as CloudFormation would: expand-template.py template.yaml expanded.json"""

import json
import sys

from samtranslator.yaml_helper import yaml_parse
from samtranslator.translator.transform import transform
from samtranslator.public.translator import ManagedPolicyLoader

template = yaml_parse(open(sys.argv[1], encoding="utf-8").read())


class NoPolicies(ManagedPolicyLoader):
    """The stack names no managed policy: every role is written out."""

    def __init__(self):
        pass

    def load(self):
        return {}


def only_local_code(resources):
    """What `sam deploy` does after uploading: the code's place must be S3."""
    for resource in resources.values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://bucket/key"


# Globals are merged before resources are looked at: a common CodeUri has to go.
template.get("Globals", {}).get("Function", {}).pop("CodeUri", None)
only_local_code(template["Resources"])
metadata = template.pop("Metadata", {})
expanded = transform(template, {}, NoPolicies())
expanded["Metadata"] = {"cfn-lint": metadata.get("cfn-lint", {})}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(expanded, file, indent=2, sort_keys=True)
