"""Pairs of documents in RDF/XML and JSON-LD that look alike or do not, one JSON object a line, with what rdflib says of them:
whether they say the same. What two documents differ in is in the name of the pair.
"""

import json

from rdflib import BNode, Dataset, Graph, URIRef
from rdflib.compare import isomorphic

BASE = "http://e.example/doc"
XSD = "http://www.w3.org/2001/XMLSchema#"
R = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.example/"'
D = '<rdf:Description rdf:about="http://e.example/s">%s</rdf:Description>'
C = {"e": "http://e.example/"}


def rx(body, extra=""):
    return f"<rdf:RDF {R} {extra}>{body}</rdf:RDF>"


def j(value):
    return json.dumps(value, ensure_ascii=False)


RDF_XML = [
    ('attr vs element', rx(D%'<e:p>v</e:p>'), rx('<rdf:Description rdf:about="http://e.example/s" e:p="v"/>')),
    ('typed node', rx('<e:T rdf:about="http://e.example/s"/>'), rx(D%'<rdf:type rdf:resource="http://e.example/T"/>')),
    ('type attr', rx('<rdf:Description rdf:about="http://e.example/s" rdf:type="http://e.example/T"/>'), rx('<e:T rdf:about="http://e.example/s"/>')),
    ('resource vs nested', rx(D%'<e:p rdf:resource="http://e.example/o"/>'), rx(D%'<e:p><rdf:Description rdf:about="http://e.example/o"/></e:p>')),
    ('parseType Resource', rx(D%'<e:p rdf:parseType="Resource"><e:q>1</e:q></e:p>'), rx(D%'<e:p><rdf:Description><e:q>1</e:q></rdf:Description></e:p>')),
    ('property attrs on empty prop', rx(D%'<e:p e:q="1"/>'), rx(D%'<e:p rdf:parseType="Resource"><e:q>1</e:q></e:p>')),
    ('property attrs + resource', rx(D%'<e:p rdf:resource="http://e.example/o" e:q="1"/>'), rx(D%'<e:p><rdf:Description rdf:about="http://e.example/o"><e:q>1</e:q></rdf:Description></e:p>')),
    ('empty property', rx(D%'<e:p/>'), rx(D%'<e:p></e:p>')),
    ('whitespace literal', rx(D%'<e:p> v </e:p>'), rx(D%'<e:p>v</e:p>')),
    ('whitespace only', rx(D%'<e:p> </e:p>'), rx(D%'<e:p></e:p>')),
    ('comment in literal', rx(D%'<e:p>a<!-- c -->b</e:p>'), rx(D%'<e:p>ab</e:p>')),
    ('pi in literal', rx(D%'<e:p>a<?x y?>b</e:p>'), rx(D%'<e:p>ab</e:p>')),
    ('cdata', rx(D%'<e:p><![CDATA[a<b]]></e:p>'), rx(D%'<e:p>a&lt;b</e:p>')),
    ('charref', rx(D%'<e:p>&#xE9;</e:p>'), rx(D%'<e:p>é</e:p>')),
    ('lang case', rx(D%'<e:p xml:lang="EN">v</e:p>'), rx(D%'<e:p xml:lang="en">v</e:p>')),
    ('lang inherited', rx(D%'<e:p>v</e:p>','xml:lang="en"'), rx(D%'<e:p xml:lang="en">v</e:p>')),
    ('lang reset', rx(D%'<e:p xml:lang="">v</e:p>','xml:lang="en"'), rx(D%'<e:p>v</e:p>')),
    ('lang not on typed', rx(D%f'<e:p rdf:datatype="{XSD}int">1</e:p>','xml:lang="en"'), rx(D%f'<e:p rdf:datatype="{XSD}int">1</e:p>')),
    ('xsd:string', rx(D%f'<e:p rdf:datatype="{XSD}string">v</e:p>'), rx(D%'<e:p>v</e:p>')),
    ('base', rx('<rdf:Description rdf:about="s"><e:p>v</e:p></rdf:Description>','xml:base="http://e.example/"'), rx(D%'<e:p>v</e:p>')),
    ('base nested', rx('<rdf:Description xml:base="http://e.example/x/" rdf:about="../s"><e:p>v</e:p></rdf:Description>'), rx(D%'<e:p>v</e:p>')),
    ('base with fragment ID', rx('<rdf:Description rdf:ID="a"><e:p>v</e:p></rdf:Description>','xml:base="http://e.example/d#x"'), rx('<rdf:Description rdf:about="http://e.example/d#a"><e:p>v</e:p></rdf:Description>')),
    ('empty about = base', rx('<rdf:Description rdf:about=""><e:p>v</e:p></rdf:Description>'), rx(f'<rdf:Description rdf:about="{BASE}"><e:p>v</e:p></rdf:Description>')),
    ('nodeID names', rx('<rdf:Description rdf:nodeID="a"><e:p rdf:nodeID="b"/></rdf:Description><rdf:Description rdf:nodeID="b"><e:q>1</e:q></rdf:Description>'), rx('<rdf:Description rdf:nodeID="z"><e:p><rdf:Description><e:q>1</e:q></rdf:Description></e:p></rdf:Description>')),
    ('nodeID shared or not', rx('<e:T><e:p rdf:nodeID="b"/><e:r rdf:nodeID="b"/></e:T>'), rx('<e:T><e:p rdf:nodeID="b"/><e:r rdf:nodeID="c"/></e:T>')),
    ('collection', rx(D%'<e:p rdf:parseType="Collection"><rdf:Description rdf:about="http://e.example/a"/></e:p>'), rx(D%'<e:p><rdf:Description><rdf:first rdf:resource="http://e.example/a"/><rdf:rest rdf:resource="http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"/></rdf:Description></e:p>')),
    ('collection typed', rx(D%'<e:p rdf:parseType="Collection"><rdf:Description rdf:about="http://e.example/a"/></e:p>'), rx(D%'<e:p><rdf:List><rdf:first rdf:resource="http://e.example/a"/><rdf:rest rdf:resource="http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"/></rdf:List></e:p>')),
    ('li vs _n', rx('<rdf:Bag rdf:about="http://e.example/s"><rdf:li>a</rdf:li><rdf:li>b</rdf:li></rdf:Bag>'), rx('<rdf:Bag rdf:about="http://e.example/s"><rdf:_2>b</rdf:_2><rdf:_1>a</rdf:_1></rdf:Bag>')),
    ('li order', rx('<rdf:Seq rdf:about="http://e.example/s"><rdf:li>a</rdf:li><rdf:li>b</rdf:li></rdf:Seq>'), rx('<rdf:Seq rdf:about="http://e.example/s"><rdf:li>b</rdf:li><rdf:li>a</rdf:li></rdf:Seq>')),
    ('reification', rx(D%'<e:p rdf:ID="t">v</e:p>'), rx(D%'<e:p>v</e:p>')),
    ('reif spelled', rx(D%'<e:p rdf:ID="t">v</e:p>'), rx(D%'<e:p>v</e:p>'+f'<rdf:Statement rdf:about="{BASE}#t"><rdf:subject rdf:resource="http://e.example/s"/><rdf:predicate rdf:resource="http://e.example/p"/><rdf:object>v</rdf:object></rdf:Statement>')),
    ('prefix other', rx(D%'<e:p>v</e:p>'), f'<x:RDF xmlns:x="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x:Description x:about="http://e.example/s"><p xmlns="http://e.example/">v</p></x:Description></x:RDF>'),
    ('no RDF root', rx(D%'<e:p>v</e:p>'), f'<rdf:Description {R} rdf:about="http://e.example/s"><e:p>v</e:p></rdf:Description>'),
    ('XMLLiteral same', rx(D%'<e:p rdf:parseType="Literal"><b>x</b></e:p>'), rx(D%"<e:p rdf:parseType='Literal'><b>x</b></e:p>")),
    ('XMLLiteral differs', rx(D%'<e:p rdf:parseType="Literal"><b>x</b></e:p>'), rx(D%'<e:p rdf:parseType="Literal"><i>x</i></e:p>')),
    ('XMLLiteral quotes of attrs', rx(D%'<e:p rdf:parseType="Literal"><b a="1"/></e:p>'), rx(D%"<e:p rdf:parseType='Literal'><b a='1'></b></e:p>")),
    ('XMLLiteral empty', rx(D%'<e:p rdf:parseType="Literal"/>'), rx(D%'<e:p/>')),
    ('entity', '<!DOCTYPE rdf:RDF [<!ENTITY e "http://e.example/">]>'+rx('<rdf:Description rdf:about="&e;s"><e:p>v</e:p></rdf:Description>'), rx(D%'<e:p>v</e:p>')),
    ('attr newline', rx('<rdf:Description rdf:about="http://e.example/s" e:p="a\nb"/>'), rx('<rdf:Description rdf:about="http://e.example/s" e:p="a b"/>')),
    ('text crlf', rx(D%'<e:p>a\r\nb</e:p>'), rx(D%'<e:p>a\nb</e:p>')),
    ('about relative dots', rx('<rdf:Description rdf:about="./a/../s"><e:p>v</e:p></rdf:Description>'), rx(D%'<e:p>v</e:p>')),
    ('IRI unicode vs pct', rx('<rdf:Description rdf:about="http://e.example/é"><e:p>v</e:p></rdf:Description>'), rx('<rdf:Description rdf:about="http://e.example/%C3%A9"><e:p>v</e:p></rdf:Description>')),
    ('duplicate triple', rx(D%'<e:p>v</e:p><e:p>v</e:p>'), rx(D%'<e:p>v</e:p>')),
    ('order', rx(D%'<e:p>v</e:p><e:q>w</e:q>'), rx(D%'<e:q>w</e:q><e:p>v</e:p>')),
    ('datatype differs', rx(D%f'<e:p rdf:datatype="{XSD}int">1</e:p>'), rx(D%f'<e:p rdf:datatype="{XSD}integer">1</e:p>')),
    ('datatype relative', rx(D%'<e:p rdf:datatype="int">1</e:p>',f'xml:base="{XSD}"'), rx(D%f'<e:p rdf:datatype="{XSD}int">1</e:p>')),
    ('lexical', rx(D%f'<e:p rdf:datatype="{XSD}int">01</e:p>'), rx(D%f'<e:p rdf:datatype="{XSD}int">1</e:p>')),
    ('nfc', rx(D%'<e:p>e\u0301</e:p>'), rx(D%'<e:p>é</e:p>')),
    ('resource empty string', rx(D%'<e:p rdf:resource=""/>'), rx(D%f'<e:p rdf:resource="{BASE}"/>')),
    ('nested description two', rx(D%'<e:p><e:T><e:q rdf:resource="http://e.example/z"/></e:T></e:p>'), rx(D%'<e:p rdf:nodeID="k"/>'+'<e:T rdf:nodeID="k"><e:q rdf:resource="http://e.example/z"/></e:T>')),
    ('nested description other type', rx(D%'<e:p><e:T/></e:p>'), rx(D%'<e:p><e:U/></e:p>')),
    ('xml:space', rx(D%'<e:p xml:space="preserve">v</e:p>'), rx(D%'<e:p>v</e:p>')),
    ('unknown xml attr', rx('<rdf:Description rdf:about="http://e.example/s" xml:foo="x"><e:p>v</e:p></rdf:Description>'), rx(D%'<e:p>v</e:p>')),
]

JSON_LD = [
    ('compact vs expanded', j({"@context":C,"@id":"e:s","e:p":"v"}), j([{"@id":"http://e.example/s","http://e.example/p":[{"@value":"v"}]}])),
    ('key order', j({"@context":C,"@id":"e:s","e:p":"v","e:q":"w"}), j({"e:q":"w","e:p":"v","@id":"e:s","@context":C})),
    ('vocab', j({"@context":{"@vocab":"http://e.example/"},"@id":"http://e.example/s","p":"v"}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('array of one', j({"@context":C,"@id":"e:s","e:p":["v"]}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('array order', j({"@context":C,"@id":"e:s","e:p":["v","w"]}), j({"@context":C,"@id":"e:s","e:p":["w","v"]})),
    ('list order', j({"@context":C,"@id":"e:s","e:p":{"@list":["v","w"]}}), j({"@context":C,"@id":"e:s","e:p":{"@list":["w","v"]}})),
    ('list container', j({"@context":{**C,"l":{"@id":"e:p","@container":"@list"}},"@id":"e:s","l":["v","w"]}), j({"@context":C,"@id":"e:s","e:p":{"@list":["v","w"]}})),
    ('set', j({"@context":C,"@id":"e:s","e:p":{"@set":["v"]}}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('null dropped', j({"@context":C,"@id":"e:s","e:p":"v","e:q":None}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('int 1 vs 1.0', j({"@context":C,"@id":"e:s","e:p":1}), '{"@context":{"e":"http://e.example/"},"@id":"e:s","e:p":1.0}'),
    ('int typed', j({"@context":C,"@id":"e:s","e:p":1}), j({"@context":C,"@id":"e:s","e:p":{"@value":"1","@type":XSD+"integer"}})),
    ('double', j({"@context":C,"@id":"e:s","e:p":1.5}), j({"@context":C,"@id":"e:s","e:p":{"@value":"1.5E0","@type":XSD+"double"}})),
    ('bool', j({"@context":C,"@id":"e:s","e:p":True}), j({"@context":C,"@id":"e:s","e:p":{"@value":"true","@type":XSD+"boolean"}})),
    ('bool vs str', j({"@context":C,"@id":"e:s","e:p":True}), j({"@context":C,"@id":"e:s","e:p":"true"})),
    ('lang', j({"@context":{**C,"@language":"en"},"@id":"e:s","e:p":"v"}), j({"@context":C,"@id":"e:s","e:p":{"@value":"v","@language":"en"}})),
    ('lang case', j({"@context":C,"@id":"e:s","e:p":{"@value":"v","@language":"EN"}}), j({"@context":C,"@id":"e:s","e:p":{"@value":"v","@language":"en"}})),
    ('lang map', j({"@context":{**C,"m":{"@id":"e:p","@container":"@language"}},"@id":"e:s","m":{"en":"v","de":"w"}}), j({"@context":C,"@id":"e:s","e:p":[{"@value":"w","@language":"de"},{"@value":"v","@language":"en"}]})),
    ('index map', j({"@context":{**C,"m":{"@id":"e:p","@container":"@index"}},"@id":"e:s","m":{"a":"v","b":"w"}}), j({"@context":C,"@id":"e:s","e:p":["v","w"]})),
    ('id map', j({"@context":{**C,"m":{"@id":"e:p","@container":"@id"}},"@id":"e:s","m":{"e:o":{"e:q":"1"}}}), j({"@context":C,"@id":"e:s","e:p":{"@id":"e:o","e:q":"1"}})),
    ('type map', j({"@context":{**C,"m":{"@id":"e:p","@container":"@type"}},"@id":"e:s","m":{"e:T":{"e:q":"1"}}}), j({"@context":C,"@id":"e:s","e:p":{"@type":"e:T","e:q":"1"}})),
    ('reverse', j({"@context":C,"@id":"e:s","@reverse":{"e:p":{"@id":"e:o"}}}), j({"@context":C,"@id":"e:o","e:p":{"@id":"e:s"}})),
    ('reverse term', j({"@context":{**C,"r":{"@reverse":"e:p"}},"@id":"e:s","r":{"@id":"e:o"}}), j({"@context":C,"@id":"e:o","e:p":{"@id":"e:s"}})),
    ('graph of nodes', j({"@context":C,"@graph":[{"@id":"e:s","e:p":"v"}]}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('named graph', j({"@context":C,"@id":"e:g","@graph":[{"@id":"e:s","e:p":"v"}]}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('nested vs flat', j({"@context":C,"@id":"e:s","e:p":{"@id":"e:o","e:q":"1"}}), j({"@context":C,"@graph":[{"@id":"e:o","e:q":"1"},{"@id":"e:s","e:p":{"@id":"e:o"}}]})),
    ('bnode names', j({"@context":C,"@id":"_:a","e:p":{"@id":"_:b","e:q":"1"}}), j({"@context":C,"@id":"_:x","e:p":{"e:q":"1"}})),
    ('type keyword alias', j({"@context":{**C,"id":"@id","type":"@type"},"id":"e:s","type":"e:T"}), j({"@context":C,"@id":"e:s","@type":["e:T"]})),
    ('type id coercion', j({"@context":{**C,"k":{"@id":"e:p","@type":"@id"}},"@id":"e:s","k":"e:o"}), j({"@context":C,"@id":"e:s","e:p":{"@id":"e:o"}})),
    ('id vs string', j({"@context":C,"@id":"e:s","e:p":{"@id":"e:o"}}), j({"@context":C,"@id":"e:s","e:p":"http://e.example/o"})),
    ('base', j({"@context":{**C,"@base":"http://e.example/"},"@id":"s","e:p":"v"}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('relative doc', j({"@context":C,"@id":"","e:p":"v"}), j({"@context":C,"@id":BASE,"e:p":"v"})),
    ('json type', j({"@context":{**C,"k":{"@id":"e:p","@type":"@json"}},"@id":"e:s","k":{"b":1,"a":2}}), j({"@context":{**C,"k":{"@id":"e:p","@type":"@json"}},"@id":"e:s","k":{"a":2,"b":1}})),
    ('json number', j({"@context":{**C,"k":{"@id":"e:p","@type":"@json"}},"@id":"e:s","k":[1]}), '{"@context":{"e":"http://e.example/","k":{"@id":"e:p","@type":"@json"}},"@id":"e:s","k":[1.0]}'),
    ('unmapped key', j({"@context":C,"@id":"e:s","e:p":"v","zzz":1}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('unicode escape', '{"@context":{"e":"http://e.example/"},"@id":"e:s","e:p":"\\u00e9"}', j({"@context":C,"@id":"e:s","e:p":"é"})),
    ('scoped context', j({"@context":{**C,"k":{"@id":"e:p","@context":{"x":"e:q"}}},"@id":"e:s","k":{"x":"1"}}), j({"@context":C,"@id":"e:s","e:p":{"e:q":"1"}})),
    ('nest', j({"@context":{**C,"n":"@nest"},"@id":"e:s","n":{"e:p":"v"}}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('included', j({"@context":C,"@id":"e:s","e:p":"v","@included":[{"@id":"e:o","e:q":"1"}]}), j({"@context":C,"@graph":[{"@id":"e:s","e:p":"v"},{"@id":"e:o","e:q":"1"}]})),
    ('empty list', j({"@context":C,"@id":"e:s","e:p":{"@list":[]}}), j({"@context":C,"@id":"e:s","e:p":{"@id":"http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"}})),
    ('context change', j({"@context":{"p":"http://e.example/p"},"@id":"http://e.example/s","p":"v"}), j({"@context":{"p":"http://e.example/q"},"@id":"http://e.example/s","p":"v"})),
    ('version 1.1', j({"@context":{**C,"@version":1.1},"@id":"e:s","e:p":"v"}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('direction', j({"@context":C,"@id":"e:s","e:p":{"@value":"v","@direction":"rtl"}}), j({"@context":C,"@id":"e:s","e:p":"v"})),
    ('big number', '{"@context":{"e":"http://e.example/"},"@id":"e:s","e:p":1e21}', '{"@context":{"e":"http://e.example/"},"@id":"e:s","e:p":1000000000000000000000}'),
    ('exp number', '{"@context":{"e":"http://e.example/"},"@id":"e:s","e:p":1e2}', '{"@context":{"e":"http://e.example/"},"@id":"e:s","e:p":100}'),
    ('dup same', j({"@context":C,"@id":"e:s","e:p":["v","v"]}), j({"@context":C,"@id":"e:s","e:p":"v"})),
]


def graph(syntax, document):
    if syntax == "xml":
        return Graph().parse(data=document, format=syntax, publicID=BASE)
    # Quads as triples, so that graphs are compared with their names.
    read, quads = Dataset(), Graph()
    read.parse(data=document, format=syntax, publicID=BASE)
    for subject, predicate, value, name in read.quads():
        if name is None or str(name) == "urn:x-rdflib:default":
            quads.add((subject, predicate, value))
            continue
        quad = BNode()
        for part, term in [("s", subject), ("p", predicate), ("o", value), ("g", name)]:
            quads.add((quad, URIRef(f"quad:{part}"), term))
    return quads


for syntax, pairs in [("xml", RDF_XML), ("json-ld", JSON_LD)]:
    for name, *documents in pairs:
        same = isomorphic(*[graph(syntax, document) for document in documents])
        print(json.dumps({"name": name, "syntax": syntax, "documents": documents, "same": same}))
