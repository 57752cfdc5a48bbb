"""The programs: where each comes from, how it is started, and what data it gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from public_programs import data


@dataclass(frozen=True)
class Program:
    """One program and a command that trains for a few seconds.

    repository  owner/name on GitHub; its snapshot is the folder owner+name
    path        the program's file in it
    what        what it trains, in a few words
    arguments   of the command line
    steps       the calls of backward() after which it is stopped; it may end earlier by itself
    prepare     writes the data that it would download
    libraries   folders of the repository to import from
    """

    repository: str
    path: str
    what: str
    arguments: str = ""
    steps: int = 100
    prepare: Callable[[Path], None] | None = None
    libraries: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.path}"


COMMITS = {
    "Diego999/pyGAT": "3664f2dc90cbf971564c0bf186dc794f12446d0c",
    "MorvanZhou/PyTorch-Tutorial": "dbe154a9e56635e51c6b0c2ccea8ae36cfb585a7",
    "eriklindernoren/PyTorch-GAN": "36d3c77e5ff20ebe0aeefd322326a134a279b93e",
    "graykode/nlp-tutorial": "d05e31ec81d56d70c1db89b99ab07e948f7ebc11",
    "jcjohnson/pytorch-examples": "0003fcdc606a79951e53bf8f46f8574fa4739f23",
    "karpathy/makemore": "988aa59e4d8fefa526d06f3b453ad116258398d4",
    "karpathy/minGPT": "37baab71b9abea1b76ab957409a1cc2fbfba8a26",
    "karpathy/nanoGPT": "3adf61e154c3fe3fca428ad6bc3818b27a3b8291",
    "karpathy/ng-video-lecture": "52201428ed7b46804849dea0b3ccf0de9df1a5c3",
    "pytorch/examples": "77f55b912142e11fcfdf5b530231fb9c52f181e8",
    "rtqichen/torchdiffeq": "657943acefa826ef04c025ebeb1ff5e9d60dc268",
    "seungeunrho/minimalRL": "c8efed8481e3cd40e9739cfde220a55522555b57",
    "yunjey/pytorch-tutorial": "0500d3df5a2a8080ccfccbc00aca0eacc21818db",
}

_EXAMPLES, _GAN = "pytorch/examples", "eriklindernoren/PyTorch-GAN"
_YUNJEY, _MORVAN, _NLP = "yunjey/pytorch-tutorial", "MorvanZhou/PyTorch-Tutorial", "graykode/nlp-tutorial"
_ADDER = "--trainer.max_iters=60 --trainer.num_workers=0"

PROGRAMS = [
    Program(
        _EXAMPLES, "mnist/main.py", "convolutional classifier of digits, Adadelta", "--epochs 1", steps=10
    ),
    Program(_EXAMPLES, "mnist_rnn/main.py", "LSTM classifier of digits, Adadelta", "--epochs 1"),
    Program(
        _EXAMPLES,
        "mnist_forward_forward/main.py",
        "layers trained without backpropagation between them, Adam",
        "--epochs 20 --train_size 1000 --test_size 200 --no_accel",
    ),
    Program(_EXAMPLES, "vae/main.py", "variational autoencoder of digits, Adam", "--epochs 2"),
    Program(
        _EXAMPLES,
        "dcgan/main.py",
        "convolutional GAN, two Adams",
        "--dataset mnist --dataroot . --batchSize 16 --ngf 16 --ndf 16 --workers 0 --niter 1 --manualSeed 3",
        steps=12,
    ),
    Program(
        _EXAMPLES,
        "word_language_model/main.py",
        "LSTM language model of words, gradient clipping, SGD by hand",
        "--epochs 1 --emsize 64 --nhid 64",
        steps=20,
        prepare=data.wikitext,
    ),
    Program(
        _EXAMPLES,
        "word_language_model/main.py",
        "the same with a Transformer and AdamW",
        "--epochs 1 --model Transformer --emsize 64 --nhid 64 --lr 0.001 --use-optimizer",
        steps=20,
        prepare=data.wikitext,
    ),
    Program(_EXAMPLES, "reinforcement_learning/reinforce.py", "REINFORCE on CartPole, Categorical", steps=20),
    Program(
        _EXAMPLES,
        "reinforcement_learning/actor_critic.py",
        "actor and critic on CartPole, Categorical",
        steps=20,
    ),
    Program(_EXAMPLES, "regression/main.py", "polynomial regression, SGD by hand", steps=1000),
    Program(
        _EXAMPLES,
        "super_resolution/main.py",
        "convolutions and pixel shuffle, orthogonal initialization, Adam",
        "--upscale_factor 3 --batchSize 4 --nEpochs 1 --threads 0",
        prepare=data.photographs,
    ),
    Program(
        "karpathy/makemore",
        "makemore.py",
        "Transformer of characters, AdamW",
        "--max-steps 100 --num-workers 0",
        prepare=data.names,
    ),
    Program(
        "karpathy/makemore",
        "makemore.py",
        "GRU of characters, written out, AdamW",
        "--max-steps 100 --num-workers 0 --type gru",
        prepare=data.names,
    ),
    Program(
        "karpathy/minGPT", "projects/adder/adder.py", "GPT that adds numbers, AdamW", _ADDER, libraries=(".",)
    ),
    Program(
        "karpathy/nanoGPT",
        "train.py",
        "GPT with scaled_dot_product_attention, AdamW with two groups",
        "config/train_shakespeare_char.py --device=cpu --compile=False --eval_iters=2 --log_interval=10"
        " --block_size=64 --batch_size=8 --n_layer=4 --n_head=4 --n_embd=64 --max_iters=60 --dropout=0.1",
        prepare=data.characters,
    ),
    Program("karpathy/ng-video-lecture", "bigram.py", "bigram table, AdamW", steps=300, prepare=data.text),
    Program("seungeunrho/minimalRL", "REINFORCE.py", "REINFORCE on CartPole, a backward a step", steps=400),
    Program("seungeunrho/minimalRL", "dqn.py", "deep Q-learning on CartPole, Adam", steps=100),
    Program("seungeunrho/minimalRL", "ddpg.py", "DDPG on a pendulum, two Adams", steps=200),
    Program("seungeunrho/minimalRL", "actor_critic.py", "actor and critic on CartPole", steps=60),
    Program("seungeunrho/minimalRL", "ppo.py", "PPO on CartPole", steps=60),
    Program("seungeunrho/minimalRL", "ppo-lstm.py", "PPO with an LSTM on CartPole", steps=40),
    Program("seungeunrho/minimalRL", "sac.py", "soft actor-critic on a pendulum, Normal", steps=120),
    Program(_GAN, "implementations/gan/gan.py", "GAN of linear layers", "--n_epochs 2", steps=60),
    Program(
        _GAN,
        "implementations/wgan_gp/wgan_gp.py",
        "Wasserstein GAN, gradient of a gradient",
        "--n_epochs 2",
        steps=50,
    ),
    Program(
        _GAN, "implementations/dcgan/dcgan.py", "convolutional GAN with Upsample", "--n_epochs 1", steps=20
    ),
    Program(_GAN, "implementations/acgan/acgan.py", "GAN with classes, Embedding", "--n_epochs 1", steps=10),
    Program(
        _GAN,
        "implementations/infogan/infogan.py",
        "GAN that learns codes",
        "--n_epochs 1 --batch_size 8",
        steps=12,
    ),
    Program(_GAN, "implementations/aae/aae.py", "adversarial autoencoder", "--n_epochs 1", steps=40),
    Program(_YUNJEY, "tutorials/01-basics/linear_regression/main.py", "linear regression, SGD"),
    Program(_YUNJEY, "tutorials/01-basics/logistic_regression/main.py", "logistic regression, SGD"),
    Program(_YUNJEY, "tutorials/01-basics/feedforward_neural_network/main.py", "two linear layers, Adam"),
    Program(
        _YUNJEY,
        "tutorials/02-intermediate/convolutional_neural_network/main.py",
        "convolutions with batch norm, Adam",
        steps=10,
    ),
    Program(
        _YUNJEY, "tutorials/02-intermediate/deep_residual_network/main.py", "residual network, Adam", steps=6
    ),
    Program(
        _YUNJEY,
        "tutorials/02-intermediate/recurrent_neural_network/main.py",
        "two-layer LSTM, Adam",
        steps=30,
    ),
    Program(
        _YUNJEY,
        "tutorials/02-intermediate/bidirectional_recurrent_neural_network/main.py",
        "two-layer bidirectional LSTM, Adam",
        steps=20,
    ),
    Program(
        _YUNJEY,
        "tutorials/03-advanced/variational_autoencoder/main.py",
        "variational autoencoder, Adam",
        steps=100,
    ),
    Program(_YUNJEY, "tutorials/03-advanced/generative_adversarial_network/main.py", "GAN, Adam", steps=100),
    Program(_MORVAN, "tutorial-contents/301_regression.py", "regression, SGD", steps=200),
    Program(_MORVAN, "tutorial-contents/306_optimizer.py", "SGD, Momentum, RMSprop and Adam", steps=400),
    Program(_MORVAN, "tutorial-contents/403_RNN_regressor.py", "RNN that follows a cosine, Adam"),
    Program(_MORVAN, "tutorial-contents/406_GAN.py", "GAN of parabolas", steps=400),
    Program(_MORVAN, "tutorial-contents/503_dropout.py", "dropout, Adam", steps=400),
    Program(_MORVAN, "tutorial-contents/504_batch_normalization.py", "batch normalization", steps=100),
    Program(
        "jcjohnson/pytorch-examples", "nn/dynamic_net.py", "weight sharing, SGD with momentum", steps=200
    ),
    Program(
        "jcjohnson/pytorch-examples",
        "autograd/two_layer_net_custom_function.py",
        "autograd.Function, SGD by hand",
        steps=200,
    ),
    Program(_NLP, "1-1.NNLM/NNLM.py", "language model of n-grams", steps=500),
    Program(_NLP, "2-1.TextCNN/TextCNN.py", "convolutions over words", steps=500),
    Program(_NLP, "3-3.Bi-LSTM/Bi-LSTM.py", "bidirectional LSTM", steps=100),
    Program(_NLP, "4-2.Seq2Seq(Attention)/Seq2Seq(Attention).py", "RNN with attention", steps=200),
    Program(_NLP, "5-1.Transformer/Transformer.py", "Transformer of six layers", steps=20),
    Program(_NLP, "5-2.BERT/BERT.py", "BERT of six layers", steps=10),
    Program(
        "Diego999/pyGAT",
        "train.py",
        "graph attention network on a dense adjacency matrix, Adam",
        "--epochs 3",
        prepare=data.citations,
    ),
    Program(
        "rtqichen/torchdiffeq",
        "examples/ode_demo.py",
        "neural differential equation, RMSprop",
        "--niters 40 --data_size 200",
        libraries=(".",),
    ),
]
